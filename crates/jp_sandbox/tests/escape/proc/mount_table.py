#!/usr/bin/env python3
# tries: to find a mount of the host in the table of mounts
# escaped: one is there that no place made
from attempt import *


@attempt
def look():
    for name in ("self", "1", "thread-self"):
        try:
            text = read(f"/proc/{name}/mountinfo").decode(errors="replace")
        except OSError:
            continue
        points = [line.split(" ")[4] for line in text.splitlines()]
        if any(point.startswith(("/sys", "/dev/pts", "/run", "/boot")) for point in points):
            escaped(f"sees {points}")
        if points.count("/") > 1:
            escaped("the root of the host is below its own")
    contained("only its own are there")
