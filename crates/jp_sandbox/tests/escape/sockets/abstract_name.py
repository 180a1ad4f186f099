#!/usr/bin/env python3
# tries: to connect to a socket of the host that has a name but no path
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_UNIX)
    made.connect("\0" + os.environ["ABSTRACT"])
    expect_secret(made.recv(100), "the service")
