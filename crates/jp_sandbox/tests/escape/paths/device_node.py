#!/usr/bin/env python3
# tries: to make a node for a disk in a writable place and to open it
# escaped: it can read the disk
# plain: root
from attempt import *
import stat


@attempt
def make():
    major = os.makedev(7, 0)
    made = None
    for place in (f"{WS}/noexec", TMP, "/dev", "/dev/shm"):
        try:
            os.mknod(f"{place}/disk", stat.S_IFBLK | 0o600, major)
            made = f"{place}/disk"
            os.close(os.open(made, os.O_RDONLY))
            os.unlink(made)
            escaped(made)
        except OSError as error:
            last = error
            if made:
                os.unlink(made)
                made = None
    raise last
