#!/usr/bin/env python3
# tries: to see which processes the host runs and with which words
# escaped: it sees a neighbor's
from attempt import *


@attempt
def look():
    names = [name for name in os.listdir("/proc") if name.isdigit()]
    if any("neighbor.py" in read(f"/proc/{name}/cmdline").decode(errors="replace") for name in names):
        escaped("sees the words of a neighbor")
    contained(f"sees {len(names)} processes")
