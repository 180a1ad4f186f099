#!/usr/bin/env python3
# tries: to give a program of a place where programs run a second name where they do not, and the other way round
# escaped: it has the second name
from attempt import *


@attempt
def link():
    try:
        os.link(f"{WS}/noexec/program", f"{WS}/src/program")
    except OSError:
        os.link(f"{WS}/src/lib.rs", f"{WS}/noexec/lib.rs")
    escaped("made a second name")
