#!/usr/bin/env python3
# tries: to open what is hidden relative to a descriptor of the directory around it
# escaped: it reads the secret
from attempt import *


@attempt
def walk():
    try:
        held = os.open(WS, os.O_PATH)
        found = os.open(".env", os.O_RDONLY, dir_fd=held)
    except OSError:
        held = os.open(f"{WS}/secret/public", os.O_RDONLY)
        found = os.open("../key", os.O_RDONLY, dir_fd=held)
    expect_secret(os.read(found, 100), "the directory")
