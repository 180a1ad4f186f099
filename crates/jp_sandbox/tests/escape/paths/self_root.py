#!/usr/bin/env python3
# tries: to reach what is hidden through /proc/self/root and the root of a thread
# escaped: it reads the secret there
from attempt import *


@attempt
def open_it():
    for root in ("/proc/self/root", "/proc/thread-self/root", f"/proc/self/task/{os.getpid()}/root"):
        try:
            text = read(f"{root}{OUTSIDE}/victim")
        except OSError as error:
            last = error
        else:
            expect_secret(text, root)
    raise last
