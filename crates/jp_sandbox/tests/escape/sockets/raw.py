#!/usr/bin/env python3
# tries: to make a socket that forges what others send
# escaped: it has one
# plain: root
from attempt import *
import socket


@attempt
def make():
    try:
        socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)
    except OSError:
        socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58)
    escaped("made one")
