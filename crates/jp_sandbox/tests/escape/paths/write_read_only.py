#!/usr/bin/env python3
# tries: to open a read-only file for writing
# escaped: it is longer
from attempt import *


@attempt
def write():
    with open(f"{WS}/ro/file", "a") as file:
        file.write("more")
    escaped("wrote to ro/file")
