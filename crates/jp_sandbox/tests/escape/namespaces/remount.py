#!/usr/bin/env python3
# tries: to make a read-only mount writable
# escaped: it is
# note: in the demonstration it makes a namespace and a mount first, to leave the host alone
from attempt import *


def body():
    place = f"{WS}/ro".encode()
    try:
        call("unshare", 0x10000000 | 0x20000)
        call("mount", place, place, None, 4096, None)
    except OSError:
        pass
    call("mount", None, place, None, 32 | 4096, None)


@attempt
def mount():
    in_child(body)
    escaped("mounted again")
