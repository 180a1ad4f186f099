#!/usr/bin/env python3
# tries: to map a file of a place where programs do not run as code
# escaped: it is mapped
# open: 2 - Landlock has no say in mappings
from attempt import *
import mmap


@attempt
def map_it():
    file = os.open(f"{WS}/noexec/program", os.O_RDONLY)
    mmap.mmap(file, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    escaped("it is mapped")
