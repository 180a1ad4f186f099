#!/usr/bin/env python3
# tries: to give a hidden file a second name in a writable place
# escaped: it reads the secret under the new name
from attempt import *


@attempt
def link():
    os.link(f"{WS}/.env", f"{WS}/noexec/alias")
    expect_secret(read(f"{WS}/noexec/alias"), "the alias")
