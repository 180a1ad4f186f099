#!/usr/bin/env python3
# tries: to change the times of a read-only file, and of one outside, so that a build thinks it is current
# escaped: they have changed
from attempt import *


@attempt
def change():
    try:
        os.utime(f"{WS}/ro/file", (1, 1))
    except OSError:
        os.utime(f"{OUTSIDE}/victim", (1, 1))
    escaped("changed times")
