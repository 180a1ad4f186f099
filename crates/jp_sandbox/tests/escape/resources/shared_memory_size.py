#!/usr/bin/env python3
# tries: to fill /dev and /dev/shm beyond what its private directories hold
# escaped: it has written more
# limits: private=8388608
# tiers: 1
from attempt import *


@attempt
def fill():
    written = 0
    for place in ("/dev/shm", "/dev", TMP):
        path = f"{place}/jp-escape-{os.getpid()}"
        try:
            with open(path, "wb", buffering=0) as file:
                for _ in range(24):
                    written += file.write(b"x" * (1 << 20))
        except OSError:
            pass
        finally:
            try:
                os.unlink(path)
            except OSError:
                pass
        if written > 16 << 20:
            escaped(f"wrote {written >> 20} MiB to {place}")
    contained(f"wrote {written >> 20} MiB")
