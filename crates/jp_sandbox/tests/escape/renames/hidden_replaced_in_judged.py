#!/usr/bin/env python3
# tries: to read what is hidden in a judged place, after the host has saved and replaced it
# escaped: it reads the secret
# view: judged
# tiers: 1
from attempt import *


@attempt
def wait_for_it():
    host("save", "workspace/.env")
    host("rename", "workspace/secret", "outside/old")
    host("make", "workspace/secret/key")
    try:
        text = read(f"{WS}/.env")
    except OSError:
        text = read(f"{WS}/secret/key")
    expect_secret(text, "the workspace")
