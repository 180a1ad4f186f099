#!/usr/bin/env python3
# tries: to make a socket to the machine that this one runs on, which no namespace holds back
# escaped: it has one
from attempt import *
import socket


@attempt
def make():
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            missing("this kernel has no such sockets")
        raise
    escaped("made one")
