#!/usr/bin/env python3
# tries: to make a pair of sockets of a family that programs do not use for pairs, which loads what serves it
# escaped: it has one, or the kernel has looked whether there can be one
from attempt import *
import socket


@attempt
def make():
    # IPv4, IPv6, netlink, Bluetooth, CAN, TIPC, RDS, SMC, QIPCRTR, MCTP.
    for family in (2, 10, 16, 31, 29, 30, 21, 43, 42, 45):
        for kind in (1, 2, 3, 4, 5):
            try:
                socket.socketpair(family, kind)
            except OSError as error:
                if error.errno == errno.EPERM:
                    continue
                escaped(f"family {family}: {error}")
            escaped(f"family {family}")
    contained("nothing was looked for")
