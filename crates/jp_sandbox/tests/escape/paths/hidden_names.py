#!/usr/bin/env python3
# tries: to learn the names of what is hidden by listing the directories around it
# escaped: a hidden name is in a list
from attempt import *


@attempt
def list_them():
    found = []
    for directory, hidden in ((WS, ".env"), (f"{WS}/secret", "key"), (f"{WS}/deep/a", "key")):
        try:
            found += [hidden for name in os.listdir(directory) if name == hidden]
        except OSError:
            pass
    if found:
        escaped(f"saw {found}")
    contained("no list has one")
