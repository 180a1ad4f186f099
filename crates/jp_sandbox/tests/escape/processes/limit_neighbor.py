#!/usr/bin/env python3
# tries: to set a limit of a process beside the sandbox, or of its supervisor
# escaped: it is set
# note: it sets what is set already
from attempt import *
import resource


@attempt
def limit():
    for process in (int(os.environ["HOST_PID"]), os.getppid()):
        if process == 1:
            continue
        try:
            limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
            resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
        except OSError as error:
            last = error
            continue
        escaped(f"set a limit of {process}")
    raise last
