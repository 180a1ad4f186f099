#!/usr/bin/env python3
# tries: to look into a process beside the sandbox where all of the host is visible
# escaped: it reads the secret there
# view: whole
# tiers: 1
from attempt import *


@attempt
def look():
    expect_secret(read(f"/proc/{os.environ['HOST_PID']}/environ"), "the neighbor's variables")
