#!/usr/bin/env python3
# tries: to write to a read-only place in a writable one, after the host has replaced it
# escaped: the new file has changed
# view: direct
# tiers: 1
# open: 1 - what is mounted on a name of the host goes with that name; the plan calls such a rule looser
from attempt import *


@attempt
def write():
    host("rename", "workspace/ro", "outside/ro")
    host("make", "workspace/ro/file")
    with open(f"{WS}/ro/file", "w") as file:
        file.write("mine")
    escaped("wrote to ro/file")
