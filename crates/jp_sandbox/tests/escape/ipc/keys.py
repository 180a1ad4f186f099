#!/usr/bin/env python3
# tries: to add a key to the keyring of its user, which all processes of the user share
# escaped: it is there
from attempt import *


@attempt
def add():
    number = call("add_key", b"user", b"jp-escape", b"value", 5, -4)
    call("keyctl", 9, number, -4)
    escaped("added a key")
