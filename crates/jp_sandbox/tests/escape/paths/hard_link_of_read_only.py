#!/usr/bin/env python3
# tries: to give a read-only file a second name in a writable place and to write to it there
# escaped: the file has changed
from attempt import *


@attempt
def link():
    os.link(f"{WS}/ro/file", f"{WS}/noexec/alias")
    with open(f"{WS}/noexec/alias", "w") as file:
        file.write("changed")
    escaped("wrote to ro/file")
