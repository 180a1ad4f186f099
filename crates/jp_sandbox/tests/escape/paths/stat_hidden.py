#!/usr/bin/env python3
# tries: to learn size and times of a hidden file, without opening it
# escaped: it knows the size
# open: 2 - Landlock has no say in what a path that is known can be asked for
from attempt import *


@attempt
def stat():
    size = os.stat(f"{WS}/.env").st_size
    if size:
        escaped(f"it has {size} bytes")
    contained("what is seen there has no bytes")
