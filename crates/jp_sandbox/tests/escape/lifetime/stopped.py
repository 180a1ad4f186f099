#!/usr/bin/env python3
# tries: to leave a stopped process behind, which no signal but one wakes
# escaped: it still runs when the call has ended, once it is woken
# judge: heartbeat
from attempt import *
import signal

child = os.fork()
if child == 0:
    os.setsid()
    leave_streams()
    heartbeat()
waker = os.fork()
if waker == 0:
    import time

    os.setsid()
    leave_streams()
    for _ in range(200):
        time.sleep(0.02)
        try:
            os.kill(child, signal.SIGSTOP if _ % 2 else signal.SIGCONT)
        except OSError:
            os._exit(0)
    os._exit(0)
await_heartbeat()
