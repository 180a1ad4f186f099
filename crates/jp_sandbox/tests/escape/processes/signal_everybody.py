#!/usr/bin/env python3
# tries: to signal every process that it may signal
# escaped: a neighbor gets the signal
# note: the signal is one that nobody minds, so that the demonstration does no harm
from attempt import *
import signal
import time


@attempt
def send():
    os.kill(-1, signal.SIGURG)
    time.sleep(0.2)
    if host("exists", "outside/urgent") == "yes":
        escaped("the neighbor got it")
    contained("the neighbor did not get it")
