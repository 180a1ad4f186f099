#!/usr/bin/env python3
# tries: to change the mode of a read-only file, by path and by descriptor
# escaped: the mode has changed
from attempt import *


@attempt
def change():
    try:
        os.chmod(f"{WS}/ro/file", 0o777)
    except OSError:
        os.fchmod(os.open(f"{WS}/ro/file", os.O_RDONLY), 0o777)
    escaped("changed the mode of ro/file")
