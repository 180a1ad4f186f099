#!/usr/bin/env python3
# tries: to be sent a directory of the host over a socket that is visible
# escaped: it reads the secret in it
# view: whole
# tiers: 1
from attempt import *
import array
import socket


@attempt
def receive():
    made = socket.socket(socket.AF_UNIX)
    made.connect(os.environ["UNIX_WRITABLE"])
    _, rights, _, _ = made.recvmsg(100, socket.CMSG_SPACE(4))
    held = array.array("i", rights[0][2])[0]
    expect_secret(os.read(os.open("victim", os.O_RDONLY, dir_fd=held), 100), "a sent directory")
