#!/usr/bin/env python3
# tries: to make a socket that sees every packet, where the network is the host's
# escaped: it has one
# plain: root
# network: shared
from attempt import *
import socket


@attempt
def make():
    for family, kind, protocol in ((17, 3, 0x300), (2, 10, 0x300), (2, 3, 1), (10, 3, 58)):
        try:
            socket.socket(family, kind, protocol)
        except OSError as error:
            last = error
            continue
        escaped(f"{family}, {kind}, {protocol}")
    raise last
