#!/usr/bin/env python3
# tries: to read the memory of the kernel
# escaped: it reads a part of it
# plain: root
from attempt import *


@attempt
def look():
    if os.getuid() == 0 and os.path.isdir("/sys") and not os.path.exists("/proc/kcore"):
        missing("this kernel has no /proc/kcore")
    if len(read("/proc/kcore")) > 100:
        escaped("read kernel memory")
    contained("nothing was read")
