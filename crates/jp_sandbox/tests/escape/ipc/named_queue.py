#!/usr/bin/env python3
# tries: to make a queue with a name, which everybody on the host with that name finds
# escaped: the host has it
# tiers: 1 2
from attempt import *


@attempt
def make():
    name = f"jp-escape-{os.environ['HOST_PID']}".encode()
    try:
        call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, None)
    except OSError as error:
        last = error
    # Whether it could be opened is one thing, whether it is there another.
    if libc.mq_unlink(b"/" + name):
        raise last
    if TMP == "/tmp":
        contained("it is a queue of its own namespace")
    escaped("made a queue")
