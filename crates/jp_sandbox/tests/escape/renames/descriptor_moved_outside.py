#!/usr/bin/env python3
# tries: to walk up from a directory that it holds after the host has moved that outside
# escaped: it reads the secret beside it
from attempt import *


@attempt
def walk():
    host("mkdir", "workspace/noexec/here/deeper")
    held = os.open(f"{WS}/noexec/here/deeper", os.O_RDONLY)
    host("rename", "workspace/noexec/here", "outside/here")
    found = os.open("../../victim", os.O_RDONLY, dir_fd=held)
    expect_secret(os.read(found, 100), "above the moved directory")
