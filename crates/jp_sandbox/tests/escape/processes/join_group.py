#!/usr/bin/env python3
# tries: to get into the process group of a neighbor, to get its signals and be taken for it
# escaped: it is in it
# note: the demonstration needs a group of the same session, its parent's
from attempt import *


@attempt
def join():
    os.setpgid(0, os.getpgid(os.getppid()))
    escaped("joined the group of its parent")
