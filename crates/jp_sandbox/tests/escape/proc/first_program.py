#!/usr/bin/env python3
# tries: to open the program of the first process, which is the sandbox itself, to replace it
# escaped: it is open
# plain: root
from attempt import *


@attempt
def look():
    try:
        os.close(os.open("/proc/1/exe", os.O_RDONLY))
    except OSError:
        os.close(os.open(f"/proc/{os.getppid()}/exe", os.O_RDONLY))
    escaped("opened the program of the first process")
