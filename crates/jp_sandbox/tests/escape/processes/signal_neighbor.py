#!/usr/bin/env python3
# tries: to signal a process beside the sandbox
# escaped: the kernel sent it
from attempt import *
import signal


@attempt
def send():
    os.kill(int(os.environ["HOST_PID"]), signal.SIGCONT)
    escaped("signalled the neighbor")
