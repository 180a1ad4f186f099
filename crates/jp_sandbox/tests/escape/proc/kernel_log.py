#!/usr/bin/env python3
# tries: to read the log of the kernel, which has addresses and what happens outside
# escaped: it reads it
# plain: root
from attempt import *


@attempt
def look():
    try:
        file = os.open("/proc/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        file = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.close(file)
    escaped("opened the log")
