#!/usr/bin/env python3
# tries: to read a hidden file below a name that was a link when the process started
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("remove", "workspace/pointer")
    host("make", "workspace/pointer/key")
    expect_secret(read(f"{WS}/pointer/key"), "pointer/key")
