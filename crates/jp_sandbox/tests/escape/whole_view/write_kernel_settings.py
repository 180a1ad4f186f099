#!/usr/bin/env python3
# tries: to open settings of the kernel for writing where all of the host is visible
# escaped: it could
# view: whole
# tiers: 1
# plain: root
from attempt import *


@attempt
def write():
    paths = ["/proc/sys/kernel/core_pattern", "/sys/kernel/mm/transparent_hugepage/enabled",
             "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
             "/sys/fs/cgroup/pids/cgroup.procs", "/sys/power/state", "/sys/kernel/uevent_helper"]
    for path in paths:
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError as error:
            last = error
            continue
        escaped(path)
    raise last
