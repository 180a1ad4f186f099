#!/usr/bin/env python3
# tries: to open the file that is its standard input again, for writing, where all of the host is visible
# escaped: the file has changed
# view: whole
# tiers: 1
# stdin: file
from attempt import *


@attempt
def reopen():
    file = os.open("/proc/self/fd/0", os.O_WRONLY)
    os.write(file, b"gone")
    escaped("wrote to its input")
