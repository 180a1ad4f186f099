#!/usr/bin/env python3
# tries: to run a program from a file in memory, by its descriptor
# escaped: it runs
from attempt import *


@attempt
def run():
    number = call("memfd_create", b"program", 0)
    os.write(number, read_program())
    words = (ctypes.c_char_p * 2)(b"program", None)
    in_child(lambda: call("execveat", number, b"", words, None, 0x1000))
    escaped("it runs")
