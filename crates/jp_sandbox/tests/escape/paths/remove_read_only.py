#!/usr/bin/env python3
# tries: to remove a read-only file, and its directory
# escaped: it is gone
from attempt import *


@attempt
def remove():
    os.unlink(f"{WS}/ro/file")
    escaped("removed ro/file")
