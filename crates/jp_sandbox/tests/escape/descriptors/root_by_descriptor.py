#!/usr/bin/env python3
# tries: to walk up from a descriptor of the root, and down to the outside
# escaped: it reads the secret there
from attempt import *


@attempt
def walk():
    root = os.open("/", os.O_PATH)
    found = os.open("../../.." + OUTSIDE + "/victim", os.O_RDONLY, dir_fd=root)
    expect_secret(os.read(found, 100), "above the root")
