#!/usr/bin/env python3
# tries: to be sent a directory of the host over a socket
# escaped: it reads the secret in it
from attempt import *
import array
import socket


@attempt
def receive():
    made = socket.socket(socket.AF_UNIX)
    try:
        made.connect("\0" + os.environ["ABSTRACT"])
    except OSError:
        made.connect(os.environ["UNIX_OUTSIDE"])
    _, rights, _, _ = made.recvmsg(100, socket.CMSG_SPACE(4))
    held = array.array("i", rights[0][2])[0]
    expect_secret(os.read(os.open("victim", os.O_RDONLY, dir_fd=held), 100), "a sent directory")
