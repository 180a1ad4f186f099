"""A sealed tool that sends the requests it is given, one after the other, and reports every answer.

Written from docs/protocols/vfs.md alone. `requests` is a list of `{"method": …, "params": …}`. What is
not to be shown to the tool is handed over backwards, in `hidden`, so that it can look for it in all that
it was sent; the report says whether it was there, in the letters themselves or encoded. After a
request with `"waits": false` the next one is sent at once; after any other all have been answered.
"""

import base64, json, sys, urllib.parse

lines = []


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit("the host has gone")
    lines.append(line)
    return json.loads(line)


def write(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def settle(known, count):
    while len(known) < count:
        message = read()
        if "id" in message:
            known[message["id"]] = shortened(message)


def shortened(value):
    """What is too long to be compared by eye is reported by its length."""
    if isinstance(value, str) and len(value) > 4000:
        return f"({len(value)} characters)"
    if isinstance(value, dict):
        return {key: shortened(part) for key, part in value.items()}
    return [shortened(part) for part in value] if isinstance(value, list) else value


def forms(text):
    data = text.encode()
    return {text, urllib.parse.quote(text, safe=""), base64.b64encode(data).decode(), data.hex()}


arguments = read()["params"]["tool"]["arguments"]
known = {}
for number, request in enumerate(arguments["requests"]):
    write(id=number, method=request["method"], params=request["params"])
    if request.get("waits", True):
        settle(known, number + 1)
answers = [known[number] for number in sorted(known)]
hidden = arguments.get("hidden", "")[::-1]
leaked = hidden != "" and any(form in line for line in lines for form in forms(hidden))
write(method="result", params={"content": json.dumps({"answers": answers, "leaked": leaked})})
