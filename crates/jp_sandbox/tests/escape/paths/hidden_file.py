#!/usr/bin/env python3
# tries: to open a file that is hidden in a visible directory
# escaped: it reads the secret in it
from attempt import *


@attempt
def open_it():
    expect_secret(read(f"{WS}/.env"), ".env")
