#!/usr/bin/env python3
# tries: to read a hidden file in a file system that the host has mounted in the workspace
# escaped: it reads the secret
# mount: mounted
# tiers: 1
# starts: no
# note: an overlay cannot be made over what has another mount in it, so there is no process
# plain: root
from attempt import *


@attempt
def look():
    expect_secret(read(f"{WS}/mounted/key"), "mounted/key")
