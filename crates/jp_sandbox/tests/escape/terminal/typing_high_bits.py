#!/usr/bin/env python3
# tries: to type into the terminal with a request that has bits where the kernel does not look
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
    number = 16 if os.uname().machine == "x86_64" else 29
    call(number, 0, 0x7FFF00000000 | 0x5412, b"x")


@attempt
def type_it():
    in_child(body)
    escaped("typed")
