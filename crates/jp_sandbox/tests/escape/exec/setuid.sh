#!/bin/sh
# tries: to become root by running a program of the system that everybody runs as root
# escaped: it is root
# plain: ordinary
# note: the tests must run as root to make such a program for the demonstration
if [ ! -u "$WS/src/setuid" ]; then
    echo "missing: the tests do not run as root, so there is no such program"
    exit 4
fi
user=$("$WS/src/setuid" -u 2>/dev/null)
if [ "$user" = 0 ] && [ "$(id -u)" != 0 ]; then
    echo "ESCAPED it is root"
    exit 0
fi
echo "contained: it is ${user:-nobody at all}"
exit 3
