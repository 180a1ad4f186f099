#!/usr/bin/env python3
# tries: to write to a read-only file through a shared mapping
# escaped: the file has changed
from attempt import *
import mmap


@attempt
def write():
    file = os.open(f"{WS}/ro/file", os.O_RDWR)
    with mmap.mmap(file, 4, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE) as memory:
        memory[:4] = b"gone"
    escaped("wrote to ro/file")
