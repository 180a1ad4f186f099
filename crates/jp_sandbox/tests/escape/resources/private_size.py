#!/usr/bin/env python3
# tries: to write more into its private directory than it holds
# escaped: it has written three times that
# limits: private=8388608
# tiers: 1
from attempt import *


@attempt
def fill():
    with open(f"{TMP}/large", "wb", buffering=0) as file:
        for _ in range(24):
            file.write(b"x" * (1 << 20))
    os.unlink(f"{TMP}/large")
    escaped("wrote 24 MiB")
