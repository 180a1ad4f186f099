#!/usr/bin/env python3
# tries: to queue a signal with a value to a process beside the sandbox
# escaped: the kernel sent it
from attempt import *
import signal


@attempt
def send():
    class Value(ctypes.Union):
        _fields_ = [("number", ctypes.c_int), ("pointer", ctypes.c_void_p)]

    libc.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, Value]
    if libc.sigqueue(int(os.environ["HOST_PID"]), signal.SIGCONT, Value(number=1)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("signalled the neighbor")
