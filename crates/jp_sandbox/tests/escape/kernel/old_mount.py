#!/usr/bin/env python3
# tries: to make a refused call in the way of 32-bit programs
# escaped: the kernel looked at it
# dies: yes
from attempt import *
import mmap


@attempt
def run():
    if os.uname().machine != "x86_64":
        missing("this machine has no second way to call")
    memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    # 26 is ptrace there, asked for what does not exist: another error than the filter's tells.
    memory.write(bytes.fromhex("53b81a000000bbffff000031c931d231f6cd805bc3"))
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    number = code()
    if number in (-errno.ESRCH, -errno.EIO):
        escaped("the kernel looked at it")
    contained(f"it returned {number}")
