#!/usr/bin/env python3
# tries: to connect to a service of the host by an IPv6 address that stands for an IPv4 one
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    made = socket.socket(socket.AF_INET6)
    made.settimeout(2)
    made.connect(("::ffff:127.0.0.1", int(os.environ["TCP_PORT"])))
    expect_secret(made.recv(100), "the service")
