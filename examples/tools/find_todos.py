#!/usr/bin/env python3
"""Finds marks such as TODO in the files of the workspace.

Written against docs/protocols/tool.md alone: Python's own library, nothing else.
"""

import json
import os
import sys
from pathlib import Path, PurePosixPath

MAX_MATCHES = 200

SCHEMA = {
    "name": "find_todos",
    "summary": "Find TODO and FIXME marks in the workspace.",
    "description": "Hidden files and files that are not UTF-8 are skipped. At most 200 lines.",
    "parameters": {
        "path": {
            "type": "string",
            "summary": "The file or directory to look in, relative to the root.",
            "default": ".",
        },
        "marks": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "summary": "What to look for.",
            "default": ["TODO", "FIXME"],
        },
    },
}


class Failed(Exception):
    """What the assistant is told when the tool cannot do what it wants."""


def main():
    try:
        invocation = json.loads(sys.stdin.buffer.readline())
        given, context = dict(invocation["tool"].get("arguments", {})), invocation["context"]
        action = context.get("action", "run").lower()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return fail(f"not the invocation of a tool: {type(error).__name__}")
    if action == "schema":
        print(json.dumps({"tools": [SCHEMA]}))
        return 0
    try:
        path, marks = arguments(given)
        if action == "format_arguments":
            print(f"look for {', '.join(marks)} in {path}")
            return 0
        print(json.dumps({"type": "success", "content": find(context, path, marks)}))
        return 0
    except Failed as error:
        return fail(str(error))


def fail(message):
    print(json.dumps({"type": "error", "message": message}))
    return 1


def arguments(given):
    """The arguments, with defaults. What is wrong is named, so that the next try is better."""
    unknown = sorted(given.keys() - SCHEMA["parameters"].keys())
    if unknown:
        raise Failed(f"unknown argument `{unknown[0]}`")
    values = {name: given.get(name, p["default"]) for name, p in SCHEMA["parameters"].items()}
    if not isinstance(values["path"], str):
        raise Failed("argument `path`: expected a string")
    # Messages repeat the path, and somebody has to read them.
    if len(values["path"]) > 1000:
        raise Failed("argument `path`: expected at most 1000 characters")
    marks = values["marks"]
    if not isinstance(marks, list) or not all(isinstance(mark, str) and mark for mark in marks):
        raise Failed("argument `marks`: expected a list of strings that are not empty")
    return values["path"], marks


def find(context, path, marks):
    root = Path(context["root"]).resolve()
    rules = (context.get("access") or {}).get("fs") or []
    found = []
    for file in files(inside(root, path)):
        name = file.relative_to(root).as_posix()
        if not may_read(rules, name):
            continue
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for number, line in enumerate(lines, 1):
            if any(mark in line for mark in marks):
                found.append(f"{name}:{number}: {line.strip()[:200]}")
                if len(found) == MAX_MATCHES:
                    return "\n".join(found)
    return "\n".join(found) or "Nothing found."


def inside(root, path):
    """The path with all links resolved. Refuses one that leads out of the workspace."""
    try:
        target = (root / path).resolve()
        exists = target.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise Failed(f"argument `path`: {error}") from error
    if target != root and root not in target.parents:
        raise Failed(f"path escapes the workspace: {path}")
    if not exists:
        raise Failed(f"argument `path`: there is no {path}")
    return target


def files(target):
    if target.is_file():
        yield target
        return
    for directory, names, leaves in os.walk(target):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for leaf in sorted(leaves):
            file = Path(directory, leaf)
            if not leaf.startswith(".") and file.is_file() and not file.is_symlink():
                yield file


def may_read(rules, name):
    """What `context.access` says: the deepest rule above the file decides, of two the later."""
    if not rules:
        return True
    parts = PurePosixPath(name).parts
    allowed, depth = False, -1
    for rule in rules:
        place = PurePosixPath(rule["path"]).parts
        if parts[: len(place)] == place and len(place) >= depth:
            allowed, depth = bool(rule.get("read")), len(place)
    return allowed


if __name__ == "__main__":
    sys.exit(main())
