#!/usr/bin/env python3
# tries: to run a program that has been removed, by a descriptor of it
# escaped: it runs
from attempt import *


@attempt
def run():
    path = f"{WS}/noexec/deleted"
    write_program(path, read_program())
    number = os.open(path, os.O_RDONLY)
    os.unlink(path)
    words = (ctypes.c_char_p * 2)(b"program", None)
    in_child(lambda: call("execveat", number, b"", words, None, 0x1000))
    escaped("it runs")
