#!/usr/bin/env python3
# tries: to read a hidden file after the host has replaced the whole workspace
# escaped: it reads the secret
from attempt import *


@attempt
def wait_for_it():
    host("rename", "workspace", "old")
    host("make", "workspace/.env")
    expect_secret(read(f"{WS}/.env"), "the new workspace")
