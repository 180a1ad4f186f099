#!/usr/bin/env python3
# tries: to attach memory that a process of the host shares by number
# escaped: it reads the secret in it
from attempt import *


@attempt
def attach():
    libc.shmat.restype = ctypes.c_void_p
    memory = libc.shmat(int(os.environ["SHM_ID"]), None, 0o10000)
    if memory in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    expect_secret(ctypes.string_at(memory, 16), "shared memory")
