#!/usr/bin/env python3
# tries: to make so many empty files in its private directory that they fill the memory of the kernel
# escaped: there are more of them than pages in the directory, by far
# limits: private=4194304
# tiers: 1
from attempt import *


@attempt
def fill():
    place = f"{TMP}/many"
    os.mkdir(place)
    for number in range(40000):
        os.mknod(f"{place}/{number}")
    escaped("made 40,000 files")
