#!/usr/bin/env python3
# tries: to be another process all the time, so that nobody who lists processes meets it
# escaped: one of them still runs when the call has ended
# judge: heartbeat
from attempt import *
import time


def hop(seconds):
    until = time.monotonic() + seconds
    beat = os.open(f"{WS}/noexec/beat", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
    while time.monotonic() < until:
        if libc.fork() > 0:
            libc._exit(0)
        os.write(beat, b".")
    os._exit(0)


for _ in range(8):
    if os.fork() == 0:
        os.setsid()
        leave_streams()
        hop(12)
await_heartbeat()
