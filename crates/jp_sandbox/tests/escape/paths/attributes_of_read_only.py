#!/usr/bin/env python3
# tries: to set an extended attribute of a read-only file, and of one outside
# escaped: it is set
from attempt import *


@attempt
def change():
    try:
        os.setxattr(f"{WS}/ro/file", "user.jp", b"1")
    except OSError:
        os.setxattr(f"{OUTSIDE}/victim", "user.jp", b"1")
    escaped("set an attribute")
