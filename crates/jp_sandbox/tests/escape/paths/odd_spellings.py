#!/usr/bin/env python3
# tries: to name a hidden file in ways that a comparison of text would not recognise
# escaped: one of them reads the secret
from attempt import *


@attempt
def spell():
    spellings = [
        f"{WS}//.env", f"{WS}/./.env", f"{WS}/src/../.env", f"/{WS}/.env", "../.env",
        f"{WS}/noexec/../.env", f"{WS}/ro/../secret/../.env", f"/proc/self/cwd/../.env",
        f"/proc/self/root{WS}/.env", f"/dev/fd/../cwd/../.env", f"{WS}/secret/public/../../.env",
        f"{WS}/deep/a/../a/key", f"{WS}/src/link",
    ]
    for spelling in spellings:
        try:
            if SECRET.encode() in read(spelling):
                escaped(spelling)
        except OSError:
            pass
    contained("no spelling works")
