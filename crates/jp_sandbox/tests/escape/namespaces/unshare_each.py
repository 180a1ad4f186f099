#!/usr/bin/env python3
# tries: to make a namespace of each other kind
# escaped: it is in one
# plain: root
from attempt import *


@attempt
def make():
    for flag in (0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x80):
        try:
            in_child(lambda: call("unshare", flag))
        except OSError as error:
            last = error
            continue
        escaped(f"made {flag:#x}")
    raise last
