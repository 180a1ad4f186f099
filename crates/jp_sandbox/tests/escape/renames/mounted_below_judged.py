#!/usr/bin/env python3
# tries: the same, where the workspace is judged
# escaped: it reads the secret
# view: judged
# mount: mounted
# tiers: 1
# starts: no
# note: an overlay cannot be made over what has another mount in it, so there is no process
# plain: root
from attempt import *


@attempt
def look():
    expect_secret(read(f"{WS}/mounted/key"), "mounted/key")
