#!/usr/bin/env python3
# tries: to send to a socket with a path from one end of a pair, where the network is the host's
# escaped: the kernel took it
# network: shared
from attempt import *
import socket
import time


@attempt
def send():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"hello", os.environ["UNIX_DATAGRAM"])
    time.sleep(0.1)
    escaped("sent a datagram")
