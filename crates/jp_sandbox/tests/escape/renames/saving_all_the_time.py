#!/usr/bin/env python3
# tries: to meet the moment between two saves of a hidden file
# escaped: it reads the secret once
from attempt import *
import time


@attempt
def race():
    host("keep-saving", "workspace/.env")
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        try:
            if SECRET.encode() in read(f"{WS}/.env"):
                escaped("met the moment")
        except OSError:
            pass
    contained("never met it")
