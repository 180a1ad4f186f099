#!/usr/bin/env python3
# tries: the same with bits set in the upper half of the flags, where a filter may not look
# escaped: it runs
from attempt import *


@attempt
def make():
    child = call("clone", 0x7F00000000000000 | 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    escaped("started a process in a user namespace")
