#!/usr/bin/env python3
# tries: to open the file that makes the kernel reboot, kill and dump
# escaped: it is open for writing
# plain: root
from attempt import *


@attempt
def write():
    if not os.path.exists("/proc/sysrq-trigger"):
        missing("this kernel takes no requests")
    os.close(os.open("/proc/sysrq-trigger", os.O_WRONLY))
    escaped("can request anything of the kernel")
