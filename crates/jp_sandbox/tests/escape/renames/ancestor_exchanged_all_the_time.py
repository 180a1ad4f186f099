#!/usr/bin/env python3
# tries: to meet a moment at which the directory above a hidden file is another one
# escaped: it reads the secret below the hidden name
from attempt import *
import time


@attempt
def race():
    host("make", "workspace/fresh/a/key")
    host("keep-exchanging", "workspace/deep", "workspace/fresh")
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        try:
            if SECRET.encode() in read(f"{WS}/deep/a/key"):
                escaped("met the moment")
        except OSError:
            pass
    contained("never met it")
