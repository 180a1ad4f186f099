#!/usr/bin/env python3
# tries: to map more users into its namespace
# escaped: the kernel took a map
# note: the demonstration makes a namespace of its own
from attempt import *


@attempt
def write():
    user = os.getuid()

    def body():
        try:
            call("unshare", 0x10000000)
        except OSError:
            pass
        with open("/proc/self/uid_map", "w") as file:
            file.write(f"0 {user} 1")

    in_child(body)
    escaped("mapped more users")
