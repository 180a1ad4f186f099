#!/usr/bin/env python3
# tries: to be traced by whoever started it
# escaped: it is traced
from attempt import *


@attempt
def trace():
    in_child(lambda: call("ptrace", 0, 0, 0, 0))
    escaped("is traced")
