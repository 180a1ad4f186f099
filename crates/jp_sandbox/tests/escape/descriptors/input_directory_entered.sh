#!/bin/sh
# tries: to go to the directory that is its standard input and up from there
# escaped: it reads a secret of the host
# stdin: directory
exec 3<&0
exec /usr/bin/python3 -B - <<'EOF'
from attempt import *


@attempt
def walk():
    os.fchdir(3)
    try:
        text = read("victim")
    except OSError:
        text = read("../workspace/.env")
    expect_secret(text, "its input")
EOF
