#!/usr/bin/env python3
# tries: to move a file from a writable place over a read-only one
# escaped: the read-only file has been replaced
from attempt import *


@attempt
def move():
    os.rename(f"{WS}/noexec/file", f"{WS}/ro/file")
    escaped("replaced ro/file")
