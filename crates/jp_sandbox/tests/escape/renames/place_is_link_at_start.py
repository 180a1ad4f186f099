#!/usr/bin/env python3
# tries: to have a place opened that has been made a link to the outside before the process starts
# escaped: it reads the secret through the place
# before: rename workspace/secret/public outside/public
# before: link ../../outside workspace/secret/public
from attempt import *


@attempt
def follow():
    expect_secret(read(f"{WS}/secret/public/victim"), "the place")
