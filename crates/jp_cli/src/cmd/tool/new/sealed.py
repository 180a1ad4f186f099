#!/usr/bin/env python3
"""__NAME__: a sealed tool to start from. It needs nothing but Python, and asks the host for the rest.

`jp tool check --runtime vfs -- ./__NAME__.py` says whether it is a good tool.
"""

import json
import sys

TOOL = {
    "name": "__NAME__",
    # What the assistant always sees. A long "description" is given to it when it asks.
    "summary": "Tell how large a file is.",
    # What has no default has to be given.
    "parameters": {"path": {"type": "string", "summary": "The file, from the root of the project."}},
}


class Failed(Exception):
    """What the assistant is told when the tool cannot do what it wants."""


def main():
    line = sys.stdin.readline()
    if not line:
        return
    init = json.loads(line)["params"]
    action = init["context"].get("action", "run").lower()
    if action == "schema":
        return send("result", {"content": {"tools": [TOOL]}})
    try:
        path = arguments(init["tool"]["arguments"])
        if action == "format_arguments":
            return send("result", {"content": f"look at {path}"})
        send("result", {"content": run(path)})
    except Failed as error:
        send("error", {"message": str(error)})


def run(path):
    """Does the work. docs/protocols/vfs.md has everything that can be asked for."""
    about = request("fs.metadata", path=path)
    if about["kind"] != "file":
        raise Failed(f"{path} is no file")
    return f"{path} has {about['size']} bytes."


def arguments(given):
    """What is wrong is named, so that the next try is better."""
    for name in given.keys() - TOOL["parameters"].keys():
        raise Failed(f"unknown argument `{name[:100]}`")
    if not isinstance(given.get("path"), str):
        raise Failed("argument `path`: expected a string")
    return given["path"]


def request(method, **params):
    """Asks the host, and waits for the answer. What has no id is news, such as `pending`."""
    send(method, params, id=1)
    for message in map(json.loads, sys.stdin):
        if message.get("method") == "cancel":
            break
        if message.get("id") == 1 and "error" in message:
            raise Failed(message["error"]["message"])
        if message.get("id") == 1:
            return message["result"]
    sys.exit("the call was cancelled")


def send(method, params, **more):
    """Writes a message, the only thing that may be on stdout. What is for people goes to stderr."""
    print(json.dumps({"jsonrpc": "2.0", **more, "method": method, "params": params}), flush=True)


if __name__ == "__main__":
    main()
