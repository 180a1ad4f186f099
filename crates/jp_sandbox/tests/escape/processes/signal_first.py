#!/usr/bin/env python3
# tries: to end the first process of its namespace
# escaped: the first process is gone, and this one still runs
# tiers: 1
# plain: root
# note: the demonstration asks whether it may
from attempt import *
import signal
import time


@attempt
def send():
    if TMP != "/tmp":
        os.kill(1, 0)
        escaped("may signal the first process")
    for number in range(1, 65):
        try:
            os.kill(1, number)
        except OSError:
            pass
    time.sleep(0.2)
    contained("the first process is still there, or this would have ended")
