#!/usr/bin/env python3
# tries: to open an inherited descriptor again through /dev/fd and /proc/self/fd
# escaped: it reads the secret through it
from attempt import *


@attempt
def open_it():
    number = os.environ["LEAKED"]
    try:
        text = read(f"/dev/fd/{number}/victim")
    except OSError:
        text = read(f"/proc/self/fd/{number}/victim")
    expect_secret(text, "an inherited directory")
