#!/usr/bin/env python3
# tries: to read a hidden file after the host has replaced the directory above it
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    try:
        os.listdir(f"{WS}/deep/a")
    except OSError:
        pass
    host("rename", "workspace/deep", "workspace/old")
    host("make", "workspace/deep/a/key")
    expect_secret(read(f"{WS}/deep/a/key"), "deep/a/key")
