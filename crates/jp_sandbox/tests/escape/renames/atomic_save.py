#!/usr/bin/env python3
# tries: to read a hidden file after an editor on the host has saved it under its name
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    try:
        read(f"{WS}/.env")
    except OSError:
        pass
    host("save", "workspace/.env")
    expect_secret(read(f"{WS}/.env"), ".env")
