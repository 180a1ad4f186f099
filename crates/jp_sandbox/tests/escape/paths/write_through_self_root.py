#!/usr/bin/env python3
# tries: to write to a read-only file through /proc/self/root
# escaped: the file is longer
from attempt import *


@attempt
def write():
    with open(f"/proc/self/root{WS}/ro/file", "a") as file:
        file.write("more")
    escaped("wrote to ro/file")
