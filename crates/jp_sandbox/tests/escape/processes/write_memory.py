#!/usr/bin/env python3
# tries: to write to the memory of a process beside the sandbox with one call
# escaped: the kernel wrote it
from attempt import *


@attempt
def write():
    what = ctypes.create_string_buffer(b"JP-ESCAPE-SECRET")
    local = (ctypes.c_void_p * 2)(ctypes.addressof(what), 16)
    remote = (ctypes.c_void_p * 2)(int(os.environ["SECRET_AT"]), 16)
    call("process_vm_writev", int(os.environ["HOST_PID"]), local, 1, remote, 1, 0)
    escaped("wrote to the neighbor's memory")
