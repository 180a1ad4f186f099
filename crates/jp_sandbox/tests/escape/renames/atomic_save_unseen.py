#!/usr/bin/env python3
# tries: the same, without having looked at the name before
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("save", "workspace/.env")
    expect_secret(read(f"{WS}/.env"), ".env")
