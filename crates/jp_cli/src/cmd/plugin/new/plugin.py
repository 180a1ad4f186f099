#!/usr/bin/env python3
"""__FILE__: a plugin to start from. Run `jp plugin check -- ./__FILE__` after every change."""

# __HELPER__


DESCRIPTION = {
    "name": "__NAME__",
    "version": "0.1.0",
    "description": "List conversations",
    "command": [__WORDS__],
    "help": "List conversations.\n\nUsage: jp __COMMAND__ [--limit COUNT]\n",
}


def main(session):
    limit = None
    if session.args:
        if len(session.args) != 2 or session.args[0] != "--limit" or not session.args[1].isdigit():
            raise Fail("unexpected arguments; see `jp __COMMAND__ -h`", code=2)
        limit = int(session.args[1])
    for conversation in session.list_conversations()[:limit]:
        if session.stopping.is_set():
            break
        session.print("%s  %s\n" % (conversation["id"], conversation["title"] or "(untitled)"))


run(DESCRIPTION, main)
