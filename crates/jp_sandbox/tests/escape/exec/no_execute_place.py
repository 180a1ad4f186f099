#!/usr/bin/env python3
# tries: to run a program in a place where programs do not run
# escaped: it runs
from attempt import *


@attempt
def run():
    in_child(lambda: os.execv(f"{WS}/noexec/program", ["program"]))
    escaped("it runs")
