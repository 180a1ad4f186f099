#!/usr/bin/env python3
# tries: to change the file system of a place it has
# escaped: it has a handle to change it
# plain: root
from attempt import *


@attempt
def pick():
    call("fspick", -100, b"/tmp" if TMP == "/tmp" else b"/", 0)
    escaped("has a handle")
