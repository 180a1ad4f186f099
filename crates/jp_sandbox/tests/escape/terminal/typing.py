#!/usr/bin/env python3
# tries: to type into the terminal that is its standard input
# escaped: the terminal took a character
# stdin: terminal
from attempt import *
import fcntl


def body():
    try:
        os.setsid()
    except OSError:
        pass
    try:
        fcntl.ioctl(0, 0x540E, 0)
    except OSError:
        pass
    fcntl.ioctl(0, 0x5412, b"x")


@attempt
def type_it():
    in_child(body)
    escaped("typed")
