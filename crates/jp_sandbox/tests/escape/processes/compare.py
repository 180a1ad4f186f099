#!/usr/bin/env python3
# tries: to compare what two processes have open, which tells addresses of the kernel apart
# escaped: the kernel answers
from attempt import *


@attempt
def compare():
    try:
        call("kcmp", os.getpid(), int(os.environ["HOST_PID"]), 0, 0, 0)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel compares nothing")
        raise
    escaped("compared")
