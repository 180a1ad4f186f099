#!/usr/bin/env python3
# tries: to find a variable of whoever runs the sandbox
# escaped: there is one that was not given
from attempt import *


@attempt
def look():
    given = {"WS", "OUTSIDE", "TMP", "PYTHONPATH", "PATH", "LC_ALL", "HOST_PID", "LEAKED", "TCP_PORT",
             "UDP_PORT", "UNIX_OUTSIDE", "UNIX_VISIBLE", "UNIX_WRITABLE", "UNIX_DATAGRAM",
             "UNIX_DATAGRAM_VISIBLE", "ABSTRACT", "ABSTRACT_DATAGRAM", "SHM_ID", "MSG_ID", "DEV_SHM",
             "SECRET_AT", "SECRET_FD"}
    more = sorted(set(os.environ) - given)
    if more:
        escaped(f"sees {more}")
    contained("there is none")
