#!/usr/bin/env python3
# tries: to open a file in /etc for writing, and to make one there
# escaped: it could
# plain: root
from attempt import *


@attempt
def write():
    try:
        os.close(os.open("/etc/passwd", os.O_WRONLY))
    except OSError:
        os.close(os.open("/etc", os.O_TMPFILE | os.O_WRONLY))
    escaped("can write in /etc")
