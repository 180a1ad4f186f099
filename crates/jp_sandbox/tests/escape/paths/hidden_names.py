#!/usr/bin/env python3
# tries: to learn the names of what lies in a hidden directory by listing it and those around it
# escaped: a name from inside is in a list
# note: the name of what is hidden itself stays in the list of a visible directory
from attempt import *


@attempt
def list_them():
    found = []
    for directory in (WS, f"{WS}/secret"):
        try:
            found += [name for name in os.listdir(directory) if name == "key"]
        except OSError:
            pass
    if found:
        escaped(f"saw {found}")
    contained("no list has one")
