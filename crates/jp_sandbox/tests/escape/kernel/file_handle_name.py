#!/usr/bin/env python3
# tries: to learn the number of a file, by which others could open it
# escaped: it knows it
from attempt import *


@attempt
def name():
    handle = ctypes.create_string_buffer(136)
    ctypes.memmove(handle, (ctypes.c_uint32 * 1)(128), 4)
    mount = ctypes.c_int()
    call("name_to_handle_at", -100, f"{WS}/src/lib.rs".encode(), handle, ctypes.byref(mount), 0)
    escaped("knows the number")
