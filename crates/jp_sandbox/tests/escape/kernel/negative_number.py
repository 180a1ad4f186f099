#!/usr/bin/env python3
# tries: to make a refused call by a number with more bits than the filter looks at
# escaped: the kernel looked at it
# plain: root
from attempt import *


@attempt
def run():
    # The kernel takes 32 bits of it.
    libc.syscall.restype = ctypes.c_long
    if libc.syscall(ctypes.c_long((1 << 32) | NUMBERS["chroot"]), f"{WS}/noexec".encode()):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("the call was done")
