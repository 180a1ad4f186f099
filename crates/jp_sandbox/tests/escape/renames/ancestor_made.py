#!/usr/bin/env python3
# tries: to read a hidden file that did not exist, nor its directory, when the process started
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("make", "workspace/future/key")
    expect_secret(read(f"{WS}/future/key"), "future/key")
