#!/usr/bin/env python3
# tries: to connect to a service of the host over multipath TCP, which rules for ports do not know
# escaped: it reads its greeting
from attempt import *
import socket


@attempt
def connect():
    try:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    except OSError as error:
        if error.errno in (errno.EPROTONOSUPPORT, errno.ENOPROTOOPT):
            missing("this kernel has no multipath TCP")
        raise
    made.settimeout(2)
    made.connect(("127.0.0.1", int(os.environ["TCP_PORT"])))
    expect_secret(made.recv(100), "the service")
