#!/usr/bin/env python3
# tries: to connect to a service on the host's loopback interface
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    made = socket.create_connection(("127.0.0.1", int(os.environ["TCP_PORT"])), 2)
    expect_secret(made.recv(100), "the service")
