#!/usr/bin/env python3
# tries: to open the memory of the first process, which has sockets of the supervisor
# escaped: it is open
# plain: root
from attempt import *


@attempt
def look():
    try:
        os.close(os.open("/proc/1/mem", os.O_RDWR))
    except OSError:
        os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR))
    escaped("opened its memory")
