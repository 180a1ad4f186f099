#!/usr/bin/env python3
# tries: to send to a service of the host without a call to connect
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def send():
    made = socket.socket(socket.AF_INET)
    made.sendto(b"please", 0x20000000, ("127.0.0.1", int(os.environ["TCP_PORT"])))
    expect_secret(made.recv(100), "the service")
