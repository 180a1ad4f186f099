#!/usr/bin/env python3
# tries: to offer a service without asking for a port
# escaped: the host could connect to it
from attempt import *
import socket


@attempt
def listen():
    made = socket.socket()
    made.listen()
    if host("connect", made.getsockname()[1]) == "yes":
        escaped("the host reached it")
    contained("the host found nothing")
