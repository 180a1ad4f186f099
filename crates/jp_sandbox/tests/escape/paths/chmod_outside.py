#!/usr/bin/env python3
# tries: to change the mode of a file and of a directory outside every place
# escaped: the mode has changed
from attempt import *


@attempt
def change():
    os.chmod(f"{OUTSIDE}/victim", 0o777)
    escaped("changed the mode of a file outside")
