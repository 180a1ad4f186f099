#!/usr/bin/env python3
# tries: to make a user namespace, in which it would be root and have every capability
# escaped: it is in one
from attempt import *


@attempt
def make():
    in_child(lambda: call("unshare", 0x10000000))
    escaped("is in a user namespace")
