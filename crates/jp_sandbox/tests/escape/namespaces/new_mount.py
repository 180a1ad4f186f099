#!/usr/bin/env python3
# tries: to make a file system and mount it with the newer calls
# escaped: it is mounted
# note: in the demonstration it makes a namespace first, to leave the host alone
from attempt import *


def body():
    try:
        call("unshare", 0x10000000 | 0x20000)
    except OSError:
        pass
    context = call("fsopen", b"tmpfs", 0)
    call("fsconfig", context, 6, None, None, 0)
    made = call("fsmount", context, 0, 0)
    call("move_mount", made, b"", -100, f"{WS}/noexec".encode(), 4)


@attempt
def mount():
    in_child(body)
    escaped("mounted")
