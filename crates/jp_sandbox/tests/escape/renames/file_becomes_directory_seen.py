#!/usr/bin/env python3
# tries: the same, with the file looked at before
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    try:
        read(f"{WS}/becomes")
    except OSError:
        pass
    host("remove", "workspace/becomes")
    host("make", "workspace/becomes/key")
    expect_secret(read(f"{WS}/becomes/key"), "becomes/key")
