#!/usr/bin/env python3
# tries: to join the namespaces of the first process or of its own
# escaped: it could
# plain: root
from attempt import *


@attempt
def join():
    for process in (1, os.getpid()):
        for kind in ("net", "uts", "ipc", "mnt", "user"):
            try:
                held = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY)
                in_child(lambda: call("setns", held, 0))
            except OSError as error:
                last = error
                continue
            escaped(f"joined {kind} of {process}")
    raise last
