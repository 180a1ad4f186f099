#!/usr/bin/env python3
# tries: to see the files of the host through the root, directory or program of the first process
# escaped: it reads the secret there
# plain: root
from attempt import *


@attempt
def look():
    for way in ("root", "cwd"):
        for process in (1, os.getppid()):
            try:
                text = read(f"/proc/{process}/{way}/{OUTSIDE}/victim")
            except OSError as error:
                last = error
            else:
                expect_secret(text, f"/proc/{process}/{way}")
    raise last
