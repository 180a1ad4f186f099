#!/usr/bin/env python3
# tries: to change the name of the machine
# escaped: it is changed (to what it was)
# plain: root
from attempt import *


@attempt
def change():
    name = os.uname().nodename.encode()
    call("sethostname", name, len(name))
    escaped("changed the name")
