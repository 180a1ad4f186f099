#!/usr/bin/env python3
# tries: to make a file with a hidden name, and to remove it again, so that the host's shows
# escaped: it reads the secret
# view: judged
# tiers: 1
# plain: any
from attempt import *


def _read_or_nothing():
    try:
        return read(f"{WS}/.env")
    except OSError:
        return b""


def _write_and_remove():
    with open(f"{WS}/.env", "w") as file:
        file.write("mine")
    os.unlink(f"{WS}/.env")


def _rename_over():
    with open(f"{WS}/mine", "w") as file:
        file.write("mine")
    os.rename(f"{WS}/mine", f"{WS}/.env")
    call("renameat2", -100, f"{WS}/.env".encode(), -100, f"{WS}/src/lib.rs".encode(), 2)


def _directory_and_back():
    os.mkdir(f"{WS}/.env")
    os.rmdir(f"{WS}/.env")


@attempt
def uncover():
    if SECRET.encode() in _read_or_nothing():
        escaped("it was never hidden")
    for step in (_write_and_remove, _rename_over, _directory_and_back):
        try:
            step()
        except OSError:
            pass
        if SECRET.encode() in _read_or_nothing():
            escaped(step.__name__)
    contained("it stays hidden")
