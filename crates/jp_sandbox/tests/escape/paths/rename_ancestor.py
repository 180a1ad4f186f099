#!/usr/bin/env python3
# tries: to rename the directory above something hidden, so that the rule no longer meets it
# escaped: it reads the secret below the new name
# view: judged
# tiers: 1
from attempt import *


@attempt
def move():
    for old, key in (("deep/a", "key"), ("deep", "a/key"), ("secret", "key")):
        try:
            os.rename(f"{WS}/{old}", f"{WS}/moved")
        except OSError as error:
            last = error
            continue
        expect_secret(read(f"{WS}/moved/{key}"), f"the renamed {old}")
    raise last
