#!/usr/bin/env python3
# tries: to make calls by the numbers of another way to call the same kernel
# escaped: a call made so is done
# note: few kernels have that way, so that the demonstration often tells so
from attempt import *


@attempt
def run():
    try:
        number = call(0x40000000 | 39)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            missing("this kernel does not have those numbers")
        raise
    if number == os.getpid():
        escaped("the foreign number works")
    contained(f"it returned {number}")
