#!/usr/bin/env python3
# tries: to find out how careless whoever runs the sandbox is with the files it makes
# escaped: what it makes can be written by everybody
# note: the demonstration sets what a careless starter would
from attempt import *


@attempt
def make():
    if not is_confined():
        os.umask(0)
    os.close(os.open(f"{WS}/noexec/made", os.O_CREAT | os.O_WRONLY, 0o666))
    if os.stat(f"{WS}/noexec/made").st_mode & 0o022:
        escaped("everybody can write to it")
    contained("only its owner can write to it")
