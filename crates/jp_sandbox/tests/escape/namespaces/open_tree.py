#!/usr/bin/env python3
# tries: to take a copy of a mount by its descriptor
# escaped: it has one
# note: in the demonstration it makes a namespace first, to leave the host alone
from attempt import *


def body():
    try:
        call("unshare", 0x10000000 | 0x20000)
    except OSError:
        pass
    call("open_tree", -100, b"/usr", 1)


@attempt
def copy():
    in_child(body)
    escaped("has a copy")
