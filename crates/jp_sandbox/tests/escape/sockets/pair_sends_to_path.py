#!/usr/bin/env python3
# tries: to send to a socket with a path from one end of a pair, for which no call to socket is needed
# escaped: the kernel took it, and the host has it
from attempt import *
import socket
import time


@attempt
def send():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"hello", os.environ["UNIX_DATAGRAM"])
    time.sleep(0.1)
    escaped("sent a datagram")
