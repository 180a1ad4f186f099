#!/usr/bin/env python3
# tries: to leave a daemon behind, whose parent has ended
# escaped: it still runs when the call has ended
# judge: heartbeat
from attempt import *

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    leave_streams()
    heartbeat()
await_heartbeat()
