#!/usr/bin/env python3
# tries: to run a program from a file in memory, by its path in /proc
# escaped: it runs
from attempt import *


@attempt
def run():
    number = call("memfd_create", b"program", 0)
    os.write(number, read_program())
    in_child(lambda: os.execv(f"/proc/self/fd/{number}", ["program"]))
    escaped("it runs")
