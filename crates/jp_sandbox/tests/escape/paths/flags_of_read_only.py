#!/usr/bin/env python3
# tries: to set the inode flags of a read-only file
# escaped: they are set
from attempt import *
import fcntl


@attempt
def change():
    file = os.open(f"{WS}/ro/file", os.O_RDONLY)
    flags = ctypes.c_int()
    if libc.ioctl(file, ctypes.c_ulong(0x80086601), ctypes.byref(flags)):
        missing("this file system has no inode flags")
    # Do not update the access time: the only one that everybody may set.
    flags.value |= 0x80
    if libc.ioctl(file, ctypes.c_ulong(0x40086602), ctypes.byref(flags)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("set flags of ro/file")
