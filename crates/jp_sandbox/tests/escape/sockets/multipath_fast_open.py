#!/usr/bin/env python3
# tries: both tricks at once
# escaped: it reads the greeting of a service of the host
from attempt import *
import socket


@attempt
def send():
    try:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    except OSError as error:
        if error.errno in (errno.EPROTONOSUPPORT, errno.ENOPROTOOPT):
            missing("this kernel has no multipath TCP")
        raise
    made.sendto(b"please", 0x20000000, ("127.0.0.1", int(os.environ["TCP_PORT"])))
    expect_secret(made.recv(100), "the service")
