#!/bin/sh
# tries: to open a hidden file relative to its standard input, where all else of the host is visible
# escaped: it reads the secret
# view: whole
# tiers: 1
# stdin: directory
exec 3<&0
exec /usr/bin/python3 -B - <<'EOF'
from attempt import *


@attempt
def walk():
    expect_secret(os.read(os.open("victim", os.O_RDONLY, dir_fd=3), 100), "its input")
EOF
