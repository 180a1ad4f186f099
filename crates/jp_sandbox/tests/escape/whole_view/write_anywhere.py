#!/usr/bin/env python3
# tries: to write to the host's directories where they are all visible
# escaped: it could
# view: whole
# tiers: 1
# plain: root
from attempt import *


@attempt
def write():
    for place in ("/etc", "/usr/bin", "/root", "/var", "/opt", "/home", "/srv", "/boot", "/var/lib"):
        try:
            os.close(os.open(place, os.O_TMPFILE | os.O_WRONLY))
        except OSError as error:
            last = error
            continue
        escaped(place)
    raise last
