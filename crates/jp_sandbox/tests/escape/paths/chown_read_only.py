#!/usr/bin/env python3
# tries: to give a read-only file to a group
# escaped: the call says that it was done
from attempt import *


@attempt
def change():
    os.chown(f"{WS}/ro/file", os.getuid(), os.getgid())
    escaped("gave ro/file away")
