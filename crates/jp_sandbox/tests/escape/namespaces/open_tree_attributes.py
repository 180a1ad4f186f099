#!/usr/bin/env python3
# tries: to take a copy of a mount with other attributes, by a call that is newer than most lists
# escaped: it has one
# note: in the demonstration it makes a namespace first, to leave the host alone
from attempt import *


def body():
    try:
        call("unshare", 0x10000000 | 0x20000)
    except OSError:
        pass
    attributes = (ctypes.c_uint64 * 4)(1, 0, 0, 0)
    call("open_tree_attr", -100, b"/usr", 1, attributes, 32)


@attempt
def copy():
    try:
        in_child(body)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel does not have the call, or says so")
        raise
    escaped("has a copy")
