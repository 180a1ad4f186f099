#!/usr/bin/env python3
# tries: to find a terminal that controls it
# escaped: there is one
# stdin: terminal
from attempt import *
import fcntl


@attempt
def find():
    def body():
        os.setsid()
        fcntl.ioctl(0, 0x540E, 0)
        os.close(os.open("/dev/tty", os.O_RDWR))

    in_child(body)
    escaped("has a terminal")
