#!/usr/bin/env python3
# tries: to write code into memory of its own and to run it
# escaped: it runs
# open: 1 2 - programs with a compiler in them do that all the time; the code can do no more than its process
from attempt import *
import mmap


@attempt
def run():
    memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    if os.uname().machine == "aarch64":
        memory.write(bytes.fromhex("40058052c0035fd6"))
    else:
        memory.write(bytes.fromhex("b82a000000c3"))
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    if code() == 42:
        escaped("it runs")
    contained("it returned something else")
