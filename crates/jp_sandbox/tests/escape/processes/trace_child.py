#!/usr/bin/env python3
# tries: to trace a child of its own, to change its calls after the filter has seen them
# escaped: it traces it
from attempt import *


@attempt
def trace():
    child = os.fork()
    if child == 0:
        import time

        time.sleep(5)
        os._exit(0)
    try:
        call("ptrace", 0x4206, child, 0, 0)
    finally:
        os.kill(child, 9)
    escaped("traces its child")
