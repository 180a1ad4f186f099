#!/usr/bin/env python3
# tries: to join the namespaces of a process by a descriptor of it
# escaped: it could
# plain: root
from attempt import *


@attempt
def join():
    held = os.pidfd_open(int(os.environ["HOST_PID"]) if TMP != "/tmp" else os.getppid())
    in_child(lambda: call("setns", held, 0x20000000))
    escaped("joined")
