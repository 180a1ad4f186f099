#!/usr/bin/env python3
# tries: to be told what happens to a hidden file
# escaped: it watches it
# open: 2 - Landlock has no say in what a path that is known can be asked for
from attempt import *


@attempt
def watch():
    watcher = libc.inotify_init1(0)
    if libc.inotify_add_watch(watcher, f"{WS}/.env".encode(), 0x2) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    escaped("watches .env")
