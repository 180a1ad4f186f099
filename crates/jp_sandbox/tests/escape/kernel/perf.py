#!/usr/bin/env python3
# tries: to measure, which tells a lot about others
# escaped: it has a counter
# plain: root
from attempt import *


@attempt
def measure():
    # A counter of the kernel's own, the processor's clock, of this process.
    attributes = (ctypes.c_uint32 * 32)(1, 128)
    call("perf_event_open", attributes, 0, -1, -1, 0)
    escaped("has a counter")
