#!/usr/bin/env python3
# tries: to have every mapping made code by asking for the ways of an old system
# escaped: a file of a place where programs do not run is mapped as code
# tiers: 1
# note: without namespaces such a file can be mapped as code anyway, see `mapped`
from attempt import *
import mmap


@attempt
def map_it():
    call("personality", 0x0400000)
    file = os.open(f"{WS}/noexec/program", os.O_RDONLY)
    # The name keeps the mapping while the table is read.
    held = mmap.mmap(file, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
    maps = read("/proc/self/maps").decode()
    if any("noexec/program" in line and "xp" in line for line in maps.splitlines()):
        escaped("it is mapped as code")
    contained("the mapping is no code")
