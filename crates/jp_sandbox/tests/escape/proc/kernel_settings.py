#!/usr/bin/env python3
# tries: to open settings of the kernel for writing; one of them names a program that the host's root runs
# escaped: one is open
# plain: root
# note: root inside has the number of root outside, and these files go by the number
from attempt import *


@attempt
def write():
    names = ["kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "kernel/poweroff_cmd",
             "vm/drop_caches", "vm/overcommit_memory", "fs/suid_dumpable", "kernel/sysrq",
             "kernel/panic", "fs/protected_symlinks", "kernel/randomize_va_space"]
    for name in names:
        try:
            os.close(os.open(f"/proc/sys/{name}", os.O_WRONLY))
        except OSError as error:
            last = error
            continue
        escaped(f"/proc/sys/{name}")
    raise last
