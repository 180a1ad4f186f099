#!/bin/sh
# tries: to open files of the host relative to its standard input, which is a directory
# escaped: it reads the secret
# stdin: directory
exec 3<&0
exec /usr/bin/python3 -B - <<'EOF'
from attempt import *


@attempt
def walk():
    expect_secret(os.read(os.open("victim", os.O_RDONLY, dir_fd=3), 100), "its input")
EOF
