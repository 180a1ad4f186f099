#!/usr/bin/env python3
# tries: to map a file of a place where programs do not run, and to make the mapping code afterwards
# escaped: it is code
# open: 2 - Landlock has no say in mappings
from attempt import *


@attempt
def map_it():
    file = os.open(f"{WS}/noexec/program", os.O_RDONLY)
    libc.mmap.restype = ctypes.c_void_p
    memory = libc.mmap(None, ctypes.c_size_t(4096), 1, 2, file, ctypes.c_long(0))
    if libc.mprotect(ctypes.c_void_p(memory), ctypes.c_size_t(4096), 5):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("it is code")
