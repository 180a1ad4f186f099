#!/usr/bin/env python3
# tries: to connect to a socket of the host in a place that it can only read
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_UNIX)
    made.connect(os.environ["UNIX_VISIBLE"])
    expect_secret(made.recv(100), "the service")
