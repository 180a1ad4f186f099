#!/usr/bin/env python3
# tries: to read a file that a process of the host shares as memory
# escaped: it reads the secret in it
from attempt import *


@attempt
def look():
    expect_secret(read(os.environ["DEV_SHM"]), "/dev/shm")
