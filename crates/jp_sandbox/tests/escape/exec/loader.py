#!/usr/bin/env python3
# tries: to run a program in a place where programs do not run through the loader
# escaped: it runs
# open: 2 - Landlock asks about the file that is executed, which is the loader
from attempt import *
import glob


@attempt
def run():
    loader = sorted(glob.glob("/lib64/ld-*") + glob.glob("/lib/ld-linux*"))[0]
    child = os.fork()
    if child == 0:
        os.execv(loader, [loader, f"{WS}/noexec/program"])
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
        escaped("it runs")
    contained(f"the loader ended with {status}")
