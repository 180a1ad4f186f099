#!/usr/bin/env python3
# tries: to make a ring through which calls are made that no filter sees
# escaped: it has one
from attempt import *


@attempt
def make():
    call("io_uring_setup", 4, ctypes.create_string_buffer(256))
    escaped("has a ring")
