#!/bin/sh
# tries: the same by a shell, which some systems give variables of their own
# escaped: there is a variable of the host
if [ -n "$HOME$CARGO$CARGO_MANIFEST_DIR$USER$LOGNAME$SSH_AUTH_SOCK$NEXTEST" ]; then
    echo "ESCAPED it sees a variable of the host"
    exit 0
fi
echo "contained: there is none"
exit 3
