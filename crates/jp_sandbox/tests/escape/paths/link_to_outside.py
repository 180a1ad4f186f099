#!/usr/bin/env python3
# tries: to make a symbolic link in a writable place that leads outside, and to follow it
# escaped: it reads the secret through it
from attempt import *


@attempt
def follow():
    os.symlink(f"{OUTSIDE}/victim", f"{WS}/noexec/link")
    expect_secret(read(f"{WS}/noexec/link"), "the link")
