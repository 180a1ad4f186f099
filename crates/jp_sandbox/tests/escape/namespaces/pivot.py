#!/usr/bin/env python3
# tries: to change the root of its namespace
# escaped: it has
# note: in the demonstration it makes a namespace and a mount first, to leave the host alone
from attempt import *


def body():
    place = f"{WS}/noexec".encode()
    try:
        call("unshare", 0x10000000 | 0x20000)
        call("mount", None, b"/", None, 0x40000 | 0x4000, None)
        call("mount", place, place, None, 4096, None)
    except OSError:
        pass
    os.chdir(place)
    call("pivot_root", b".", b".")


@attempt
def pivot():
    in_child(body)
    escaped("pivoted")
