#!/usr/bin/env python3
# tries: to handle page faults itself, with which races in the kernel are won
# escaped: it can
# plain: root
from attempt import *


@attempt
def make():
    call("userfaultfd", 0)
    escaped("can")
