#!/usr/bin/env python3
# tries: to connect to a socket with a name but no path, where the network is the host's
# escaped: it reads its greeting
# network: shared
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_UNIX)
    made.connect("\0" + os.environ["ABSTRACT"])
    expect_secret(made.recv(100), "the service")
