#!/usr/bin/env python3
# tries: to move what is hidden into a writable place
# escaped: it reads the secret there
from attempt import *


@attempt
def move():
    try:
        os.rename(f"{WS}/secret", f"{WS}/noexec/s")
        expect_secret(read(f"{WS}/noexec/s/key"), "the moved directory")
    except OSError:
        os.rename(f"{WS}/.env", f"{WS}/noexec/e")
        expect_secret(read(f"{WS}/noexec/e"), "the moved file")
