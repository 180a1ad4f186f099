#!/usr/bin/env python3
# tries: to signal a process beside the sandbox by a descriptor of it
# escaped: the kernel sent it
from attempt import *
import signal


@attempt
def send():
    for process in (int(os.environ["HOST_PID"]), os.getppid()):
        if process == 1:
            continue
        try:
            signal.pidfd_send_signal(os.pidfd_open(process), signal.SIGCONT)
        except OSError as error:
            last = error
            continue
        escaped(f"signalled {process}")
    raise last
