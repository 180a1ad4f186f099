#!/usr/bin/env python3
# tries: to read in a hidden directory with a visible one in it, after the host has removed and made both
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("remove", "workspace/secret")
    host("make", "workspace/secret/key")
    host("make", "workspace/secret/public/p")
    expect_secret(read(f"{WS}/secret/key"), "secret/key")
