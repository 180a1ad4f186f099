#!/usr/bin/env python3
# tries: to find any descriptor above the standard streams
# escaped: there is one
from attempt import *
import fcntl


@attempt
def find():
    # Beyond what the interpreter itself needs to read this file, nothing is open.
    for number in range(3, 4096):
        try:
            fcntl.fcntl(number, fcntl.F_GETFD)
        except OSError:
            continue
        escaped(f"descriptor {number} is open")
    contained("none is open")
