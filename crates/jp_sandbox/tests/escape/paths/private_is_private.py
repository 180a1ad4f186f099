#!/usr/bin/env python3
# tries: to find a file of the host in the directory for temporary files
# escaped: it finds the directory of this run there
# tiers: 1
from attempt import *


@attempt
def look():
    text = "\n".join(os.listdir("/tmp"))
    # The place of the workspace is in /tmp too, and only its own path is there.
    if OUTSIDE.startswith("/tmp/") and os.path.exists(OUTSIDE):
        escaped("the outside is in /tmp")
    if os.path.exists("/tmp") and len(os.listdir("/tmp")) > 1:
        escaped(f"/tmp has {text}")
    contained("it is empty")
