#!/usr/bin/env python3
# tries: to start another program where only the program itself may run
# escaped: it runs
# execute: itself
from attempt import *


@attempt
def run():
    in_child(lambda: os.execv("/usr/bin/true", ["true"]))
    escaped("it runs")
