#!/usr/bin/env python3
# tries: to open devices that hold something of the machine or of somebody
# escaped: one opens
# plain: root
from attempt import *


@attempt
def open_them():
    names = ["mem", "kmsg", "port", "vda", "sda", "nvme0n1", "loop-control", "fuse", "kvm",
             "net/tun", "vhost-vsock", "tty", "ptmx", "pts/0", "tty1", "console", "userfaultfd",
             "mapper/control", "cpu/0/msr", "input/event0", "uinput", "snapshot", "hpet"]
    for name in names:
        try:
            os.close(os.open(f"/dev/{name}", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK))
        except OSError:
            continue
        escaped(f"/dev/{name}")
    contained("none is there")
