#!/usr/bin/env python3
# tries: to put a message into a queue of the host
# escaped: the kernel took it
from attempt import *


@attempt
def send():
    message = ctypes.create_string_buffer(b"\x01" + b"\0" * 7 + b"hello")
    if libc.msgsnd(int(os.environ["MSG_ID"]), message, 5, 0o4000):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("sent a message")
