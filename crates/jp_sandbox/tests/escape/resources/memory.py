#!/usr/bin/env python3
# tries: to use more memory than it may
# escaped: it uses it
# limits: memory=536870912
from attempt import *


@attempt
def use():
    try:
        held = bytearray(1 << 30)
    except MemoryError:
        contained("there is no more")
    escaped(f"has {len(held)} bytes")
