#!/usr/bin/env python3
# tries: to add a route by a message, where the network is the host's
# escaped: the kernel took it
# plain: root
# network: shared
from attempt import *
import socket
import struct


def message(kind, flags):
    # To 192.0.2.0/32, which is for documentation, over the interface lo.
    body = struct.pack("BBBBBBBBI", 2, 32, 0, 0, 254, 4, 253, 1, 0)
    body += struct.pack("HH4B", 8, 1, 192, 0, 2, 77) + struct.pack("HHI", 8, 4, 1)
    return struct.pack("IHHII", 16 + len(body), kind, flags, 1, 0) + body


@attempt
def configure():
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    made.send(message(24, 0x1 | 0x4 | 0x400))
    code = -struct.unpack_from("i", made.recv(4096), 16)[0]
    if code:
        raise OSError(code, os.strerror(code))
    made.send(message(25, 0x1 | 0x4))
    escaped("added a route")
