#!/usr/bin/env python3
# tries: to use a descriptor of a directory of the host that whoever started the sandbox left open
# escaped: it reads the secret through it
from attempt import *


@attempt
def use():
    found = os.open("victim", os.O_RDONLY, dir_fd=int(os.environ["LEAKED"]))
    expect_secret(os.read(found, 100), "an inherited directory")
