#!/usr/bin/env python3
# tries: to make a process beside the sandbox, or its supervisor, run last
# escaped: it does
from attempt import *


@attempt
def slow():
    for process in (int(os.environ["HOST_PID"]), os.getppid()):
        if process == 1:
            continue
        try:
            os.setpriority(os.PRIO_PROCESS, process, 1)
        except OSError as error:
            last = error
            continue
        escaped(f"slowed {process}")
    raise last
