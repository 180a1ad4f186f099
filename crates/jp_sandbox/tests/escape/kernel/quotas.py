#!/usr/bin/env python3
# tries: to ask about and change quotas of a disk
# escaped: the kernel looked for them
# plain: any
from attempt import *


@attempt
def ask():
    try:
        # Write all quotas of all disks out: everybody may.
        call("quotactl", 0x800001 << 8, None, 0, None)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel has no quotas")
        raise
    escaped("asked")
