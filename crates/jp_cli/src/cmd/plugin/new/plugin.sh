#!/bin/sh
# __FILE__: a plugin to start from. Run `jp plugin check -- ./__FILE__` after every change.

# __HELPER__

jp_begin '{
    "name": "__NAME__",
    "version": "0.1.0",
    "description": "List conversations",
    "command": [__WORDS__],
    "help": "List conversations.\n\nUsage: jp __COMMAND__\n"
}'

[ -z "$(jp_args)" ] || jp_fail 'unexpected arguments; see `jp __COMMAND__ -h`' 2

jp_request '{type: "list_conversations"}' || jp_fail "$JP_ERROR"
list=$(jp_get '.data[] | "\(.id)  \(.title // "(untitled)")"')
[ -z "$list" ] || jp_print "$list
"
