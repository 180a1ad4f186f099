#!/usr/bin/env python3
# tries: to offer a service that the host can reach
# escaped: the host could connect to it
from attempt import *
import socket


@attempt
def listen():
    made = socket.socket()
    made.bind(("127.0.0.1", 0))
    made.listen()
    if host("connect", made.getsockname()[1]) == "yes":
        escaped("the host reached it")
    contained("the host found nothing")
