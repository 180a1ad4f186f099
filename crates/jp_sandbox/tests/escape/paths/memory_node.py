#!/usr/bin/env python3
# tries: to make a node for the memory of the kernel's log device in a writable place and to open it
# escaped: it can read it
# plain: root
from attempt import *
import stat


@attempt
def make():
    node = f"{WS}/noexec/kmsg"
    os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 11))
    os.close(os.open(node, os.O_RDONLY | os.O_NONBLOCK))
    escaped("opened the log of the kernel")
