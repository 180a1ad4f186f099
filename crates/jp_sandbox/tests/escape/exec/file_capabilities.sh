#!/bin/sh
# tries: to gain a capability by running a program that has one attached
# escaped: it has one
# plain: ordinary
# note: the tests must run as root to make such a program for the demonstration
if [ ! -e "$WS/src/capable" ]; then
    echo "missing: the tests do not run as root, so there is no such program"
    exit 4
fi
set -- $("$WS/src/capable" CapEff /proc/self/status 2>/dev/null)
case "$2" in
'' | 0000000000000000)
    echo "contained: ${2:-it does not run}"
    exit 3
    ;;
esac
echo "ESCAPED it has $2"
