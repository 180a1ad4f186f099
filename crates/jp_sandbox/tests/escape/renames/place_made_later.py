#!/usr/bin/env python3
# tries: to run a program in a place where programs do not run, which the host makes after the start
# escaped: it runs
from attempt import *


@attempt
def run():
    host("mkdir", "workspace/late")
    host("copy", "workspace/program", "workspace/late/program")
    in_child(lambda: os.execv(f"{WS}/late/program", ["program"]))
    escaped("it runs")
