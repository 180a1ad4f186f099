#!/usr/bin/env python3
# tries: to meet a moment at which a link leads to what is hidden
# escaped: it reads the secret through the link
from attempt import *
import time


@attempt
def race():
    host("link", "lib.rs", "workspace/src/one")
    host("link", "../.env", "workspace/src/other")
    host("keep-exchanging", "workspace/src/one", "workspace/src/other")
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        try:
            if SECRET.encode() in read(f"{WS}/src/one"):
                escaped("met the moment")
        except OSError:
            pass
    contained("never met it")
