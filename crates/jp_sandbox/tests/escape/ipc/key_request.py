#!/usr/bin/env python3
# tries: to have the kernel look for a key, for which it may start a program of the host
# escaped: the kernel looked
from attempt import *


@attempt
def request():
    try:
        call("request_key", b"user", b"jp-escape-none", None, 0)
    except OSError as error:
        if error.errno in (errno.ENOKEY if hasattr(errno, "ENOKEY") else 126, 2):
            escaped("the kernel looked for a key")
        raise
    escaped("found a key")
