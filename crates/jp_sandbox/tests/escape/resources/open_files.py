#!/usr/bin/env python3
# tries: to open more files than it may
# escaped: 200 are open
# limits: files=64
from attempt import *


@attempt
def use():
    held = [os.open("/usr/bin/true", os.O_RDONLY) for _ in range(200)]
    escaped(f"has {len(held)} open")
