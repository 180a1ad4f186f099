#!/usr/bin/env python3
# tries: to connect to a socket with a path outside every place, as those of container engines and agents have
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_UNIX)
    made.connect(os.environ["UNIX_OUTSIDE"])
    expect_secret(made.recv(100), "the service")
