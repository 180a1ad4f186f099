#!/usr/bin/env python3
# tries: the same, where the network is the host's
# escaped: it reads its greeting
# network: shared
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_UNIX)
    made.connect(os.environ["UNIX_OUTSIDE"])
    expect_secret(made.recv(100), "the service")
