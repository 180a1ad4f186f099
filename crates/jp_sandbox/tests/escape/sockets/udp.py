#!/usr/bin/env python3
# tries: to ask a service of the host with a datagram
# escaped: it reads the answer
from attempt import *
import socket


@attempt
def send():
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.settimeout(2)
    made.sendto(b"please", ("127.0.0.1", int(os.environ["UDP_PORT"])))
    expect_secret(made.recv(100), "the service")
