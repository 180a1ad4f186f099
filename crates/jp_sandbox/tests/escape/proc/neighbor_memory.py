#!/usr/bin/env python3
# tries: to read the memory of a process of the same user beside the sandbox
# escaped: it reads the secret there
from attempt import *


@attempt
def look():
    memory = os.open(f"/proc/{os.environ['HOST_PID']}/mem", os.O_RDONLY)
    expect_secret(os.pread(memory, 16, int(os.environ["SECRET_AT"])), "the neighbor's memory")
