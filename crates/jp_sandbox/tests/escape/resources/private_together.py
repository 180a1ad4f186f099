#!/usr/bin/env python3
# tries: to write as much into each of its private directories as they hold together
# escaped: it has written that much twice
# limits: private=8388608
# tiers: 1
from attempt import *


@attempt
def fill():
    places = [place for place in (TMP, "/private") if os.path.isdir(place)]
    for place in places if len(places) > 1 else [TMP, TMP]:
        with open(f"{place}/large-{os.getpid()}", "wb", buffering=0) as file:
            for _ in range(7):
                file.write(b"x" * (1 << 20))
    escaped("wrote 14 MiB")
