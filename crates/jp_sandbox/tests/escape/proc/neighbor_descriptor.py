#!/usr/bin/env python3
# tries: to open a file that a process beside the sandbox has open
# escaped: it reads the secret in it
from attempt import *


@attempt
def look():
    path = f"/proc/{os.environ['HOST_PID']}/fd/{os.environ['SECRET_FD']}"
    expect_secret(read(path), path)
