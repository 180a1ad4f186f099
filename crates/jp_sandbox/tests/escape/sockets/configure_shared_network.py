#!/usr/bin/env python3
# tries: to configure an interface, where the network is the host's
# escaped: it could (it sets what is set already)
# plain: root
# network: shared
from attempt import *
import fcntl
import socket
import struct


@attempt
def configure():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    request = fcntl.ioctl(made, 0x8921, struct.pack("16si12x", b"lo", 0))
    fcntl.ioctl(made, 0x8922, request)
    escaped("set the size of packets of lo")
