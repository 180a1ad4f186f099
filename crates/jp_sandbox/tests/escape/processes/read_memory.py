#!/usr/bin/env python3
# tries: to read the memory of a process beside the sandbox with one call
# escaped: it reads the secret there
from attempt import *


@attempt
def look():
    into = ctypes.create_string_buffer(16)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(into), 16)
    remote = (ctypes.c_void_p * 2)(int(os.environ["SECRET_AT"]), 16)
    call("process_vm_readv", int(os.environ["HOST_PID"]), local, 1, remote, 1, 0)
    expect_secret(into.raw, "the neighbor's memory")
