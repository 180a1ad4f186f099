#!/usr/bin/env python3
# tries: to find a capability left to it, or in reach
# escaped: there is one
# plain: root
from attempt import *


@attempt
def find():
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    if libc.capget(header, data):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if any(data):
        escaped(f"has {[hex(word) for word in data]}")
    contained("has none")
