#!/usr/bin/env python3
# tries: to change its root, from which it could climb out by an open directory
# escaped: it has
# plain: root
from attempt import *


@attempt
def change():
    in_child(lambda: os.chroot(f"{WS}/noexec"))
    escaped("changed its root")
