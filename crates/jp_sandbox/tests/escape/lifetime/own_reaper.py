#!/usr/bin/env python3
# tries: to keep its orphans to itself by being their reaper
# escaped: one still runs when the call has ended
# judge: heartbeat
from attempt import *
import time

if os.fork() == 0:
    os.setsid()
    libc.prctl(36, 1, 0, 0, 0)
    leave_streams()
    if os.fork() == 0:
        if os.fork():
            os._exit(0)
        heartbeat()
    time.sleep(4)
    os._exit(0)
await_heartbeat()
