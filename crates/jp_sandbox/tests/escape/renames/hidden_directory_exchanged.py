#!/usr/bin/env python3
# tries: to read in a hidden directory after the host has exchanged it with another
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("make", "workspace/new/key")
    host("exchange", "workspace/secret", "workspace/new")
    expect_secret(read(f"{WS}/secret/key"), "secret/key")
