#!/usr/bin/env python3
# tries: to start more processes at once than it may
# escaped: there are 400
# tiers: 1
# limits: processes=100
from attempt import *
import signal
import time


@attempt
def start():
    children = []
    try:
        for _ in range(400):
            child = os.fork()
            if child == 0:
                time.sleep(30)
                os._exit(0)
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)
    escaped("started 400 processes")
