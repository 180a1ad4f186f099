#!/usr/bin/env python3
# tries: to give one end of a pair a name that says something, where the network is that of the host
# escaped: it has the name
# tiers: 2
from attempt import *
import socket


@attempt
def bind():
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        one, _ = socket.socketpair(socket.AF_UNIX, kind)
        try:
            one.bind(b"\0jp-escape-says")
        except OSError as error:
            last = error
            continue
        escaped("named one")
    raise last
