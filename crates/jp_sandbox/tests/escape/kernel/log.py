#!/usr/bin/env python3
# tries: to read the log of the kernel by its call
# escaped: it knows its size
# plain: root
from attempt import *


@attempt
def look():
    call("syslog", 3, ctypes.create_string_buffer(100), 100)
    escaped("read the log")
