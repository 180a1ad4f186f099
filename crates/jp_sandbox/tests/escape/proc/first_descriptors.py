#!/usr/bin/env python3
# tries: to see and open the descriptors of the first process, which has sockets of the supervisor
# escaped: it sees one
# plain: root
from attempt import *


@attempt
def look():
    for process in (1, os.getppid()):
        for number in range(10):
            try:
                escaped(f"sees {os.readlink(f'/proc/{process}/fd/{number}')}")
            except OSError as error:
                last = error
    raise last
