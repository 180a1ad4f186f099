#!/usr/bin/env python3
# tries: to leave a process behind in a session of its own
# escaped: it still runs when the call has ended
# judge: heartbeat
from attempt import *

if os.fork() == 0:
    os.setsid()
    leave_streams()
    heartbeat()
await_heartbeat()
