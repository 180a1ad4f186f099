#!/usr/bin/env python3
# tries: to be without the mark that keeps it from gaining rights by executing
# escaped: it is
from attempt import *


@attempt
def find():
    if libc.prctl(39, 0, 0, 0, 0) == 0:
        escaped("it could gain rights")
    contained("it cannot")
