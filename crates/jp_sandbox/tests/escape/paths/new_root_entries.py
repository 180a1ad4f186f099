#!/usr/bin/env python3
# tries: to make a file or directory in the root, where everybody looks
# escaped: it is there
# plain: root
from attempt import *


@attempt
def make():
    name = f"/jp-escape-{os.getpid()}"
    os.mkdir(name)
    os.rmdir(name)
    escaped("made a directory in the root")
