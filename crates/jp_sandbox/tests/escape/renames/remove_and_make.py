#!/usr/bin/env python3
# tries: to read a hidden file after the host has removed it and made it again
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("remove", "workspace/.env")
    try:
        os.stat(f"{WS}/.env")
    except OSError:
        pass
    host("make", "workspace/.env")
    expect_secret(read(f"{WS}/.env"), ".env")
