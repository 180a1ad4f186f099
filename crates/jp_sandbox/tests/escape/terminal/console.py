#!/usr/bin/env python3
# tries: to use what only a console offers: to paste a selection as if it had been typed
# escaped: the terminal knows the request
# stdin: terminal
# note: a terminal of a window does not know it, so it says so in another way than the filter
from attempt import *
import fcntl


@attempt
def paste():
    try:
        fcntl.ioctl(0, 0x541C, b"\x03")
    except OSError as error:
        if error.errno in (errno.ENOTTY, errno.EINVAL):
            escaped("only the terminal itself refused")
        raise
    escaped("pasted")
