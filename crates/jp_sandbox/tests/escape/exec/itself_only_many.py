#!/usr/bin/env python3
# tries: to start another program from many processes at once, where only the program itself may run
# escaped: one runs
# execute: itself
from attempt import *


@attempt
def run():
    children = []
    for _ in range(40):
        child = os.fork()
        if child == 0:
            try:
                os.execv("/usr/bin/true", ["true"])
            finally:
                os._exit(99)
        children.append(child)
    codes = [os.waitpid(child, 0)[1] for child in children]
    if 0 in codes:
        escaped("one runs")
    contained("none runs")
