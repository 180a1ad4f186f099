#!/usr/bin/env python3
# tries: to mount something
# escaped: it is mounted
# note: in the demonstration it makes a namespace first, to leave the host alone
from attempt import *


def body():
    try:
        call("unshare", 0x10000000 | 0x20000)
    except OSError:
        pass
    call("mount", b"none", f"{WS}/noexec".encode(), b"tmpfs", 0, None)


@attempt
def mount():
    in_child(body)
    escaped("mounted")
