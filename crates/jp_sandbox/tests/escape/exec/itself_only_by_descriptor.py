#!/usr/bin/env python3
# tries: to start another program by a descriptor and in memory, where only the program itself may run
# escaped: one runs
# execute: itself
from attempt import *


@attempt
def run():
    words = (ctypes.c_char_p * 2)(b"program", None)
    number = os.open("/usr/bin/true", os.O_RDONLY)
    in_child(lambda: call("execveat", number, b"", words, None, 0x1000))
    escaped("it runs")
