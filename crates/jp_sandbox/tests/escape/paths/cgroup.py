#!/usr/bin/env python3
# tries: to make a control group, to leave the one it is in
# escaped: there is one
# plain: root
from attempt import *


@attempt
def make():
    places = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids"]
    place = next((place for place in places if os.path.exists(f"{place}/cgroup.procs")), places[0])
    name = f"{place}/jp-escape-{os.getpid()}"
    os.mkdir(name)
    os.rmdir(name)
    escaped("made a control group")
