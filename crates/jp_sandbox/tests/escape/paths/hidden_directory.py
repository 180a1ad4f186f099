#!/usr/bin/env python3
# tries: to open a file in a hidden directory, past a visible directory in it
# escaped: it reads the secret in it
from attempt import *


@attempt
def open_it():
    try:
        text = read(f"{WS}/secret/key")
    except OSError:
        text = read(f"{WS}/secret/public/../key")
    expect_secret(text, "secret/key")
