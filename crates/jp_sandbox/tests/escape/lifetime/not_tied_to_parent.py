#!/usr/bin/env python3
# tries: to leave a daemon behind that has undone the tie by which the kernel ends it with its parent
# escaped: it still runs when the call has ended
# judge: heartbeat
from attempt import *

if os.fork() == 0:
    os.setsid()
    libc.prctl(1, 0, 0, 0, 0)
    if os.fork():
        os._exit(0)
    libc.prctl(1, 0, 0, 0, 0)
    leave_streams()
    heartbeat()
libc.prctl(1, 0, 0, 0, 0)
await_heartbeat()
