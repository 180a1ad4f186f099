#!/usr/bin/env python3
# tries: to start more threads at once than it may
# escaped: there are 400
# tiers: 1
# limits: processes=100
from attempt import *
import threading


@attempt
def start():
    ends = threading.Event()
    try:
        for _ in range(400):
            threading.Thread(target=ends.wait, daemon=True).start()
    except RuntimeError as error:
        contained(str(error))
    escaped("started 400 threads")
