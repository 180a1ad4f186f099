#!/usr/bin/env python3
# tries: to leave so many daemons behind that ending them takes too long
# escaped: one still runs when the call has ended
# judge: heartbeat
from attempt import *

for _ in range(150):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        leave_streams()
        heartbeat()
await_heartbeat()
