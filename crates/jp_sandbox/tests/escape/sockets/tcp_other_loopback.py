#!/usr/bin/env python3
# tries: to connect to a service of the host by other addresses of the same machine
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    for address in ("0.0.0.0", "localhost", "127.0.0.1"):
        try:
            made = socket.create_connection((address, int(os.environ["TCP_PORT"])), 2)
        except OSError as error:
            last = error
            continue
        expect_secret(made.recv(100), address)
    raise last
