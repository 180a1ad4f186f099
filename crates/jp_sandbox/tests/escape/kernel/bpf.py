#!/usr/bin/env python3
# tries: to load a program into the kernel
# escaped: the kernel took a map for one
# plain: root
from attempt import *


@attempt
def load():
    attributes = (ctypes.c_uint32 * 32)(2, 4, 4, 1)
    call("bpf", 0, attributes, 128)
    escaped("has a map")
