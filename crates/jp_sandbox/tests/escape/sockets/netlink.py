#!/usr/bin/env python3
# tries: to make sockets that configure the kernel: for events, audit, the firewall, generic ones
# escaped: it has one
from attempt import *
import socket


@attempt
def make():
    for protocol in (9, 12, 15, 16, 4, 18, 21):
        try:
            socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        except OSError as error:
            last = error
            continue
        escaped(f"protocol {protocol}")
    raise last
