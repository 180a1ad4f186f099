#!/usr/bin/env python3
"""__NAME__: a tool to start from. It needs nothing but Python.

`jp tool check -- ./__NAME__.py` says whether it is a good tool.
"""

import json
import sys

TOOL = {
    "name": "__NAME__",
    # What the assistant always sees. A long "description" is given to it when it asks.
    "summary": "Greet somebody.",
    # What has no default has to be given.
    "parameters": {
        "name": {"type": "string", "summary": "Who to greet.", "minLength": 1, "maxLength": 100},
        "loud": {"type": "boolean", "summary": "In capital letters.", "default": False},
    },
}


class Failed(Exception):
    """What the assistant is told when the tool cannot do what it wants."""


def main():
    try:
        invocation = json.loads(sys.stdin.buffer.readline())
        call, context = invocation["tool"], invocation["context"]
        action = context.get("action", "run").lower()
        given = dict(call.get("arguments", {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return answer({"type": "error", "message": "not the invocation of a tool"})
    if action == "schema":
        return answer({"tools": [TOOL]})
    try:
        name, loud = arguments(given)
        if action == "format_arguments":
            return answer({"type": "success", "content": f"greet {name}"})
        return answer({"type": "success", "content": run(name, loud, call, context)})
    except Failed as error:
        return answer({"type": "error", "message": str(error)})


def run(name, loud, call, context):
    """Does the work. Files are in `context["root"]`, and `context["access"]` says which of them.

    To ask something, print {"type": "needs_input", "question": {"id": "sure", "text": "Sure?",
    "answer_type": "Boolean"}} instead. The answer comes with the next call, in call["answers"]["sure"].
    """
    greeting = f"Hello, {name}!"
    return greeting.upper() if loud else greeting


def arguments(given):
    """The arguments, with defaults. What is wrong is named, so that the next try is better."""
    unknown = sorted(given.keys() - TOOL["parameters"].keys())
    if unknown:
        raise Failed(f"unknown argument `{unknown[0][:100]}`")
    name, loud = given.get("name"), given.get("loud", False)
    if not isinstance(name, str) or not 1 <= len(name) <= 100:
        raise Failed("argument `name`: expected a string of 1 to 100 characters")
    if not isinstance(loud, bool):
        raise Failed("argument `loud`: expected true or false")
    return name, loud


def answer(message):
    """Prints the only thing that may be on stdout. What is for people goes to stderr."""
    print(json.dumps(message))
    return 1 if message.get("type") == "error" else 0


if __name__ == "__main__":
    sys.exit(main())
