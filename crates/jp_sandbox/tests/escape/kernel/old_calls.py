#!/usr/bin/env python3
# tries: to make calls in the way of 32-bit programs, whose numbers mean other things
# escaped: a call made so is done
# dies: yes
from attempt import *
import mmap


@attempt
def run():
    if os.uname().machine != "x86_64":
        missing("this machine has no second way to call")
    memory = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    # 20 is getpid there; here it would be a write.
    memory.write(bytes.fromhex("b814000000cd80c3"))
    code = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    number = code()
    if number == os.getpid():
        escaped("the old way works")
    contained(f"it returned {number}")
