#!/bin/sh
# tries: to run a script in a place where programs do not run by giving it to an interpreter
# escaped: it runs
# open: 1 2 - what an interpreter reads is data; who may run an interpreter may run every script
printf 'exit 42\n' >"$WS/noexec/script"
sh "$WS/noexec/script"
if [ $? = 42 ]; then
    echo "ESCAPED it runs"
    exit 0
fi
echo "contained: it does not run"
exit 3
