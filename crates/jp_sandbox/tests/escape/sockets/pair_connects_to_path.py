#!/usr/bin/env python3
# tries: to connect one end of a pair to a socket with a path outside every place
# escaped: it could
from attempt import *
import socket


@attempt
def connect():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(os.environ["UNIX_DATAGRAM"])
    escaped("connected")
