#!/usr/bin/env python3
# tries: to open a setting of the kernel in /sys for writing
# escaped: it could
# plain: root
from attempt import *


@attempt
def write():
    if not os.path.exists("/sys/kernel"):
        contained("there is no /sys")
    os.close(os.open("/sys/kernel/mm/transparent_hugepage/enabled", os.O_WRONLY))
    escaped("can write in /sys")
