#!/usr/bin/env python3
# tries: to walk up from its current directory after the host has moved that outside
# escaped: it reads the secret beside it
from attempt import *


@attempt
def walk():
    host("mkdir", "workspace/noexec/here")
    os.chdir(f"{WS}/noexec/here")
    host("rename", "workspace/noexec/here", "outside/here")
    expect_secret(read("../victim"), "beside the moved directory")
