#!/usr/bin/env python3
# tries: to move a read-only file into a writable place
# escaped: it is there
from attempt import *


@attempt
def move():
    os.rename(f"{WS}/ro/file", f"{WS}/noexec/moved")
    escaped("moved ro/file")
