#!/usr/bin/env python3
# tries: to meet a moment at which a directory in a path is a link to the outside
# escaped: it reads the secret through it
from attempt import *
import time


@attempt
def race():
    host("mkdir", "workspace/noexec/way")
    host("link", OUTSIDE, "workspace/noexec/side")
    host("keep-exchanging", "workspace/noexec/way", "workspace/noexec/side")
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        try:
            if SECRET.encode() in read(f"{WS}/noexec/way/victim"):
                escaped("met the moment")
        except OSError:
            pass
    contained("never met it")
