#!/usr/bin/env python3
# tries: to read the variables of the process that starts it, and of the first one
# escaped: it reads variables of the host
# tiers: 1 2
# note: the demonstration reads those of a neighbor
from attempt import *


@attempt
def look():
    for process in (1, os.getppid(), os.environ["HOST_PID"]):
        try:
            text = read(f"/proc/{process}/environ")
        except OSError as error:
            last = error
            continue
        if SECRET.encode() in text or b"HOME=" in text or b"CARGO" in text:
            escaped(f"/proc/{process}/environ")
    raise OSError(errno.ENOENT, f"none of them: {last if 'last' in dir() else 'all are empty'}")
