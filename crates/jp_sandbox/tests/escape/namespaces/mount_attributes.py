#!/usr/bin/env python3
# tries: to take the attributes of a mount away
# escaped: they are gone
# note: in the demonstration it makes a namespace and a mount first, to leave the host alone
from attempt import *


def body():
    place = f"{WS}/noexec".encode()
    try:
        call("unshare", 0x10000000 | 0x20000)
        call("mount", place, place, None, 4096, None)
    except OSError:
        pass
    attributes = (ctypes.c_uint64 * 4)(0, 8, 0, 0)
    call("mount_setattr", -100, place, 0, attributes, 32)


@attempt
def change():
    in_child(body)
    escaped("changed")
