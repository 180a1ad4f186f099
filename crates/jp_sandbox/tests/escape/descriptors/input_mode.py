#!/usr/bin/env python3
# tries: to change the mode of the file that is its standard input
# escaped: the mode has changed
# stdin: file
# open: 1 - a descriptor that is given carries what its file allows; jp gives pipes
from attempt import *


@attempt
def change():
    os.fchmod(0, 0o777)
    escaped("changed the mode of its input")
