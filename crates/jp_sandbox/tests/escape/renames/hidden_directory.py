#!/usr/bin/env python3
# tries: to read in a hidden directory after the host has replaced it by another
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("rename", "workspace/secret", "outside/old")
    host("make", "workspace/secret/key")
    expect_secret(read(f"{WS}/secret/key"), "secret/key")
