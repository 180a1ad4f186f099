#!/usr/bin/env python3
# tries: to make a socket to the cryptography of the kernel, a large and rarely needed part of it
# escaped: it has one
from attempt import *
import socket


@attempt
def make():
    try:
        socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            missing("this kernel has no such sockets")
        raise
    escaped("made one")
