#!/usr/bin/env python3
# tries: to follow a symbolic link of the workspace that leads to a hidden file
# escaped: it reads the secret through it
from attempt import *


@attempt
def follow():
    expect_secret(read(f"{WS}/src/link"), "src/link")
