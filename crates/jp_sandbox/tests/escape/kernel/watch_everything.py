#!/usr/bin/env python3
# tries: to be told what everybody opens
# escaped: it is
# plain: any
from attempt import *


@attempt
def watch():
    try:
        call("fanotify_init", 0x200, 0)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel tells nobody")
        raise
    escaped("is told")
