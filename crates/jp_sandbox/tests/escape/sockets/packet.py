#!/usr/bin/env python3
# tries: to make a socket that sees every packet, in the new way and in the old one
# escaped: it has one
# plain: root
from attempt import *
import socket


@attempt
def make():
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0x300)
    except OSError:
        # The kernel makes one of those out of this, whatever the family says.
        socket.socket(socket.AF_INET, 10, 0x300)
    escaped("made one")
