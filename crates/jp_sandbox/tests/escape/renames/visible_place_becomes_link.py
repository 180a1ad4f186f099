#!/usr/bin/env python3
# tries: to read through a visible place in a hidden directory that the host has made a link to that directory
# escaped: it reads the secret
from attempt import *


@attempt
def follow():
    host("rename", "workspace/secret/public", "outside/public")
    host("link", ".", "workspace/secret/public")
    expect_secret(read(f"{WS}/secret/public/key"), "secret/public/key")
