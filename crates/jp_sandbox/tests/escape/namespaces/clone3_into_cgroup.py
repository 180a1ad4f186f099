#!/usr/bin/env python3
# tries: to start a process by the call whose flags no filter can see, at all
# escaped: it runs
from attempt import *


@attempt
def make():
    arguments = (ctypes.c_uint64 * 11)(0, 0, 0, 0, 17)
    child = call("clone3", arguments, 88)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    escaped("started a process")
