#!/usr/bin/env python3
# tries: to go to a directory outside and to list it
# escaped: it sees a name there
from attempt import *


@attempt
def go():
    os.chdir(OUTSIDE)
    if "victim" in os.listdir("."):
        escaped("listed the outside")
    contained("the list is empty")
