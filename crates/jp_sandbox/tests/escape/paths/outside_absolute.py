#!/usr/bin/env python3
# tries: to open a file outside every place by its absolute path
# escaped: it reads the secret in it
from attempt import *


@attempt
def open_it():
    expect_secret(read(f"{OUTSIDE}/victim"), "the outside")
