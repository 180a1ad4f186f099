#!/usr/bin/env python3
# tries: to cut a read-only file off
# escaped: it is empty
from attempt import *


@attempt
def cut():
    os.truncate(f"{WS}/ro/file", 0)
    escaped("cut ro/file off")
