#!/usr/bin/env python3
# tries: to take a descriptor out of a process beside the sandbox, or out of the first one
# escaped: it has it
from attempt import *


@attempt
def take():
    for process in (int(os.environ["HOST_PID"]), os.getppid(), 1):
        try:
            held = call("pidfd_open", process, 0)
            call("pidfd_getfd", held, int(os.environ["SECRET_FD"]) if process > 1 else 0, 0)
        except OSError as error:
            last = error
            continue
        escaped(f"took one from {process}")
    raise last
