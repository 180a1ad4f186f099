#!/usr/bin/env python3
# tries: to open a hidden file where everything else of the host is visible
# escaped: it reads the secret
# view: whole
# tiers: 1
from attempt import *


@attempt
def look():
    expect_secret(read(f"{OUTSIDE}/victim"), "the outside")
