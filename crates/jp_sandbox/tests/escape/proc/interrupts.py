#!/usr/bin/env python3
# tries: to say which processor handles interrupts
# escaped: it is open for writing
# plain: root
from attempt import *


@attempt
def write():
    os.close(os.open("/proc/irq/default_smp_affinity", os.O_WRONLY))
    escaped("can direct interrupts")
