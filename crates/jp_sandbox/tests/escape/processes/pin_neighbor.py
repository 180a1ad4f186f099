#!/usr/bin/env python3
# tries: to say on which processors a process beside the sandbox runs, and how its disk accesses are ordered
# escaped: it could
from attempt import *


@attempt
def pin():
    process = int(os.environ["HOST_PID"])
    try:
        os.sched_setaffinity(process, os.sched_getaffinity(process))
    except OSError:
        call("ioprio_set", 1, process, (2 << 13) | 4)
    escaped("pinned the neighbor")
