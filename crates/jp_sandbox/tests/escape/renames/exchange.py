#!/usr/bin/env python3
# tries: to read a hidden file after the host has exchanged it with another
# escaped: it reads the secret under the hidden name
from attempt import *


@attempt
def wait_for_it():
    host("make", "workspace/other")
    host("exchange", "workspace/.env", "workspace/other")
    expect_secret(read(f"{WS}/.env"), ".env")
