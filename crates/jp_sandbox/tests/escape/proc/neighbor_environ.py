#!/usr/bin/env python3
# tries: to read the variables of a process of the same user beside the sandbox
# escaped: it reads the secret among them
from attempt import *


@attempt
def look():
    expect_secret(read(f"/proc/{os.environ['HOST_PID']}/environ"), "the neighbor's variables")
