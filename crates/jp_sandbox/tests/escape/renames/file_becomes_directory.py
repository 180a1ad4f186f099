#!/usr/bin/env python3
# tries: to read a hidden file below a name that was a file when the process started
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("remove", "workspace/becomes")
    host("make", "workspace/becomes/key")
    expect_secret(read(f"{WS}/becomes/key"), "becomes/key")
