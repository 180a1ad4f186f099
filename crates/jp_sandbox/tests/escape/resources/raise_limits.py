#!/usr/bin/env python3
# tries: to raise its limits again
# escaped: one is higher
# limits: files=64 memory=1073741824
# note: the demonstration lowers the soft limit first, so that there is something to raise
from attempt import *
import resource


@attempt
def raise_them():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 32), hard))
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, max(hard, 256)))
    except ValueError as error:
        contained(str(error))
    escaped("may open 256 files")
