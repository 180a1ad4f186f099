#!/usr/bin/env python3
# tries: to write a larger file than it may
# escaped: it is larger
# limits: file_size=1048576
from attempt import *
import signal


@attempt
def write():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(f"{WS}/noexec/large", "wb", buffering=0) as file:
        for _ in range(3):
            file.write(b"x" * (1 << 20))
        if os.fstat(file.fileno()).st_size < 3 << 20:
            contained(f"it has {os.fstat(file.fileno()).st_size} bytes")
    escaped("wrote 3 MiB")
