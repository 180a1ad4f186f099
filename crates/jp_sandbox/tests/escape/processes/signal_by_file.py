#!/usr/bin/env python3
# tries: to have the kernel signal a process beside the sandbox when a file can be read
# escaped: the kernel took that process as the owner of the file, and signals it
from attempt import *
import fcntl
import signal
import time


@attempt
def send():
    read_end, write_end = os.pipe()
    fcntl.fcntl(read_end, fcntl.F_SETOWN, int(os.environ["HOST_PID"]))
    if fcntl.fcntl(read_end, fcntl.F_GETOWN) != int(os.environ["HOST_PID"]):
        contained("the file has no such owner")
    fcntl.fcntl(read_end, 10, signal.SIGWINCH)
    fcntl.fcntl(read_end, fcntl.F_SETFL, fcntl.fcntl(read_end, fcntl.F_GETFL) | os.O_ASYNC)
    os.write(write_end, b"x")
    time.sleep(0.2)
    if is_confined():
        contained("whether the neighbor got it is for the runner to see")
    if os.path.exists(f"{OUTSIDE}/received"):
        escaped("the kernel signals the neighbor")
