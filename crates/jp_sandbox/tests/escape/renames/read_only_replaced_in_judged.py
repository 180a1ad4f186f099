#!/usr/bin/env python3
# tries: to write to a read-only place of a judged one, after the host has replaced it
# escaped: the new file has changed
# view: judged
# tiers: 1
from attempt import *


@attempt
def write():
    host("rename", "workspace/ro", "outside/ro")
    host("make", "workspace/ro/file")
    with open(f"{WS}/ro/file", "w") as file:
        file.write("mine")
    escaped("wrote to ro/file")
