#!/usr/bin/env python3
# tries: to change the mode of a setting of the kernel, or of a trigger, so that it can be opened
# escaped: it is open for writing
# plain: root
from attempt import *


@attempt
def write():
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/irq/0/smp_affinity"):
        try:
            os.chmod(path, 0o666)
        except OSError:
            pass
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError as error:
            last = error
            continue
        escaped(path)
    raise last
