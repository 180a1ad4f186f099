#!/usr/bin/env python3
# tries: to send to a socket of the host with a name but no path, from one end of a pair
# escaped: the kernel took it
# network: shared
from attempt import *
import socket


@attempt
def send():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"hello", "\0" + os.environ["ABSTRACT_DATAGRAM"])
    escaped("sent a datagram")
