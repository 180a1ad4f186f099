#!/usr/bin/env python3
# tries: to trace a process beside the sandbox, its parent and the first one
# escaped: it traces it
from attempt import *


@attempt
def trace():
    for process in (int(os.environ["HOST_PID"]), os.getppid()):
        try:
            call("ptrace", 0x4206, process, 0, 0)
        except OSError as error:
            last = error
            continue
        escaped(f"traces {process}")
    raise last
