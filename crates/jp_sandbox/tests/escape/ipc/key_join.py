#!/usr/bin/env python3
# tries: to read the keys of its session
# escaped: it has the keyring
from attempt import *


@attempt
def join():
    # Get the number of the session keyring, or make one.
    call("keyctl", 0, -3, 1)
    escaped("has a keyring")
