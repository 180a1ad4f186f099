#!/usr/bin/env python3
# tries: to make a file in a directory of programs
# escaped: it could
# plain: root
from attempt import *


@attempt
def write():
    os.close(os.open("/usr/bin", os.O_TMPFILE | os.O_WRONLY))
    escaped("can write in /usr/bin")
