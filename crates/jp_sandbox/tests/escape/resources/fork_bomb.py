#!/usr/bin/env python3
# tries: to double until nothing else runs
# escaped: there are 600 at once
# tiers: 1
# limits: processes=200
# note: it is bounded by itself too, so that the demonstration does no harm
from attempt import *
import mmap
import signal
import time


@attempt
def double():
    counter = mmap.mmap(-1, 4096)
    child = os.fork()
    if child == 0:
        os.setsid()
        count = 1
        for _ in range(10):
            try:
                if os.fork() == 0:
                    count = 0
            except OSError:
                break
        # Each writes its own byte; what counts is how many there are at once.
        counter[os.getpid() % 4096] = 1
        time.sleep(12)
        os._exit(0)
    # A busy machine takes its time, so it is over when they do not become more.
    total, before = 0, -1
    until = time.monotonic() + 10
    while total < 600 and total != before and time.monotonic() < until:
        before = total
        time.sleep(1.2)
        total = sum(1 for byte in counter[:] if byte)
    os.killpg(child, signal.SIGKILL)
    if total >= 600:
        escaped(f"{total} at once")
    contained(f"{total} at once")
