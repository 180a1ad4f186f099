#!/usr/bin/env python3
# tries: to walk up from the current directory and down again outside
# escaped: it reads a secret there
from attempt import *


@attempt
def walk():
    try:
        text = read("../../outside/victim")
    except OSError:
        text = read("../" * 40 + f"{OUTSIDE}/victim")
    expect_secret(text, "above")
