#!/usr/bin/env python3
# tries: to remove what covers something hidden
# escaped: it is removed
# note: in the demonstration it makes a namespace and a mount first, to leave the host alone
from attempt import *


def body():
    try:
        call("unshare", 0x10000000 | 0x20000)
        call("mount", b"none", f"{WS}/secret".encode(), b"tmpfs", 0, None)
    except OSError:
        pass
    for path in (f"{WS}/secret", f"{WS}/secret/public", WS, "/proc", "/tmp"):
        try:
            return call("umount2", path.encode(), 2)
        except OSError as error:
            last = error
    raise last


@attempt
def unmount():
    in_child(body)
    escaped("unmounted")
