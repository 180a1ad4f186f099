#!/usr/bin/env python3
# tries: to stop its supervisor, so that nobody ends it
# escaped: the kernel sent it
# tiers: 2
from attempt import *
import signal


@attempt
def send():
    os.kill(os.getppid(), signal.SIGCONT)
    escaped("signalled its parent")
