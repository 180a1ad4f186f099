#!/usr/bin/env python3
# tries: to use more of the processor than it may
# escaped: it has
# limits: cpu=1
# dies: yes
from attempt import *
import signal
import time


@attempt
def use():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while time.process_time() < 2.5:
        pass
    escaped("used 2.5 seconds")
