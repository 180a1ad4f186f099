#!/usr/bin/env python3
# tries: the same, where the network is the host's
# escaped: it has one, or the kernel has looked whether there can be one
# network: shared
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
