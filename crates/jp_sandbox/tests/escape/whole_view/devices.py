#!/usr/bin/env python3
# tries: to open devices of the host where all of it is visible
# escaped: one opens
# view: whole
# tiers: 1
# plain: root
from attempt import *


@attempt
def open_them():
    for name in ("kmsg", "loop-control", "fuse", "kvm", "net/tun", "tty", "ptmx", "console", "tty1"):
        try:
            os.close(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
        except OSError as error:
            last = error
            continue
        escaped(f"/dev/{name}")
    raise last
