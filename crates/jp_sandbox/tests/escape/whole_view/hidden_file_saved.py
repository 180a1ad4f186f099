#!/usr/bin/env python3
# tries: to open a hidden file where everything else of the host is visible, after the host has replaced it
# escaped: it reads the secret
# view: whole
# tiers: 1
from attempt import *


@attempt
def look():
    host("save", "outside/victim")
    try:
        text = read(f"{OUTSIDE}/victim")
    except OSError:
        host("rename", "outside", "elsewhere")
        host("make", "outside/victim")
        text = read(f"{OUTSIDE}/victim")
    expect_secret(text, "the outside")
