#!/usr/bin/env python3
"""Shows the headings of Markdown files. A sealed tool, written against docs/protocols/vfs.md alone."""

import json
import sys

SCHEMA = {
    "name": "outline",
    "summary": "Show the headings of Markdown files.",
    "parameters": {
        "path": {"type": "string", "summary": "A file or directory.", "default": "."},
        "depth": {"type": "integer", "summary": "Headings up to this level.", "default": 3},
    },
}


def main():
    init = json.loads(sys.stdin.readline())["params"]
    action = init.get("context", {}).get("action", "run").lower()
    if action == "schema":
        return send("result", {"content": {"tools": [SCHEMA]}})
    try:
        path, depth = arguments(init["tool"]["arguments"])
        if action == "format_arguments":
            return send("result", {"content": f"show the headings in {path}"})
        lines = [line for file in files(path) for line in outline(file, depth)]
        send("result", {"content": "\n".join(lines) or "There are no headings."})
    except ValueError as error:
        send("error", {"message": str(error)})


def arguments(given):
    for name in given.keys() - SCHEMA["parameters"].keys():
        raise ValueError(f"unknown argument `{name}`")
    path, depth = given.get("path", "."), given.get("depth", 3)
    if not isinstance(path, str) or type(depth) is not int:
        raise ValueError("expected `path` as a string and `depth` as an integer")
    return path, depth


def files(path):
    if request("fs.metadata", path=path)["kind"] == "file":
        return [path]
    found = []
    for entry in request("fs.list_dir", path=path, links=True)["entries"]:
        # Whoever follows links to directories may never come to an end.
        is_dir, name = entry["kind"] == "dir" and not entry.get("link"), entry["path"]
        if is_dir and not name.startswith(".") or entry["kind"] == "file" and name.endswith(".md"):
            found += files(name if path == "." else f"{path}/{name}")
    return found


def outline(file, depth):
    in_code, file_read = False, request("fs.read", path=file)
    text = "" if "encoding" in file_read else file_read["content"]  # base64 has no headings
    for number, line in enumerate(text.splitlines(), 1):
        in_code ^= line.startswith("```")
        level = len(line) - len(line.lstrip("#"))
        if not in_code and 0 < level <= depth and line[level:].startswith(" "):
            yield f"{file}:{number}: {'  ' * (level - 1)}{line[level:].strip()}"


def request(method, **params):
    """One request at a time: what has a result is its answer. The rest is news, like `pending`."""
    send(method, params, id=1)
    for message in map(json.loads, sys.stdin):
        if "error" in message:
            raise ValueError(message["error"]["message"])
        if "result" in message:
            return message["result"]
        if message["method"] == "cancel":
            break
    sys.exit("the call was cancelled")


def send(method, params, **more):
    print(json.dumps({"jsonrpc": "2.0", **more, "method": method, "params": params}), flush=True)


main()
