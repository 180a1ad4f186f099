#!/usr/bin/env python3
# tries: to leave its memory in a file by crashing
# escaped: there is such a file
from attempt import *
import resource
import signal


@attempt
def crash():
    os.chdir(f"{WS}/noexec")
    child = os.fork()
    if child == 0:
        _, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        os.kill(os.getpid(), signal.SIGSEGV)
    _, status = os.waitpid(child, 0)
    if os.WCOREDUMP(status) or any(name.startswith("core") for name in os.listdir(".")):
        escaped("there is a file")
    if is_confined():
        contained("there is none")
    missing("this machine hands crashes elsewhere")
