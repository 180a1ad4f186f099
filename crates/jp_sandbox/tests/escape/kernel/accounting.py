#!/usr/bin/env python3
# tries: to have the kernel write to a file for every process that ends
# escaped: the kernel would (it turns it off, which it is)
# plain: root
from attempt import *


@attempt
def account():
    try:
        call("acct", None)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel does not account")
        raise
    escaped("turned it off")
