#!/usr/bin/env python3
# tries: to open a read-only file without any right, and then again through /proc/self/fd for writing
# escaped: it can write to it
from attempt import *


@attempt
def reopen():
    held = os.open(f"{WS}/ro/file", os.O_PATH)
    file = os.open(f"/proc/self/fd/{held}", os.O_WRONLY)
    os.write(file, b"gone")
    escaped("wrote to ro/file")
