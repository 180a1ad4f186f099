#!/usr/bin/env python3
# tries: to make a socket of a family that programs do not use
# escaped: it has one
# plain: root
from attempt import *
import socket


@attempt
def make():
    # Bluetooth, CAN, TIPC, X.25, Netrom, RDS, KCM, XDP, SMC, QIPCRTR, PPPoX, LLC, IB, MCTP.
    for family in (31, 29, 30, 9, 6, 21, 41, 44, 43, 42, 24, 26, 27, 45, 17):
        for kind in (1, 2, 3, 5):
            try:
                socket.socket(family, kind)
            except OSError:
                continue
            escaped(f"family {family}")
    contained("there is none")
