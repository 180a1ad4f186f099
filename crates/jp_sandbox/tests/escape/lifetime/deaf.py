#!/usr/bin/env python3
# tries: to leave a daemon behind that no polite signal ends
# escaped: it still runs when the call has ended
# judge: heartbeat
from attempt import *
import signal

if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    leave_streams()
    heartbeat()
await_heartbeat()
