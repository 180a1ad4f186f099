#!/usr/bin/env python3
# tries: to load a library from a place where programs do not run
# escaped: it is loaded
# open: 2 - Landlock has no say in mappings
from attempt import *
import glob
import shutil


@attempt
def load():
    library = sorted(glob.glob("/usr/lib/*/libm.so.6") + glob.glob("/usr/lib*/libm.so.6"))[0]
    shutil.copyfile(library, f"{WS}/noexec/library.so")
    ctypes.CDLL(f"{WS}/noexec/library.so")
    escaped("it is loaded")
