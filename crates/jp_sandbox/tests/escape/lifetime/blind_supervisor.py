#!/usr/bin/env python3
# tries: to take the right to open files from its supervisor, which then cannot list what to end
# escaped: a daemon still runs when the call has ended
# judge: heartbeat
# note: where nobody supervises, a daemon simply stays
from attempt import *
import resource


parent = os.getppid()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    leave_streams()
    heartbeat(9)
# Without a sandbox the parent is whoever runs the tests.
if is_confined():
    try:
        resource.prlimit(parent, resource.RLIMIT_NOFILE, (0, 0))
    except OSError:
        pass
await_heartbeat()
