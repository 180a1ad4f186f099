"""An MCP server for tests: it does what script.json says and writes down every line that it is sent.

    {"era": "modern" | "legacy", "tools": [...], "calls": {"name": [step, ...]}, "resources": {"uri": text}}

Each call of a tool takes the next of its steps; the last one is repeated. A step is a result, or

    "echo"                          the parameters of the request, as text
    {"ask": PARAMS}                 asks the client, and answers with what it said
    {"exit": CODE}                  dies
    {"shell": COMMAND}              what a shell says
    {"change": TOOLS}               has other tools from now on, and says so
"""
import json
import subprocess
import sys

with open("script.json") as file:
    script = json.load(file)
era = script.get("era", "modern")
tools = script["tools"]
taken = {}
waiting = {}
log = open("wire.log", "a")


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def call(id, params):
    global tools
    name = params["name"]
    steps = script["calls"][name]
    at = taken.get(name, 0)
    taken[name] = at + 1
    step = steps[min(at, len(steps) - 1)]
    if step == "echo":
        result = text(json.dumps(params))
    elif "ask" in step:
        question = f"q{len(waiting)}"
        waiting[question] = id
        return send({"id": question, "method": "elicitation/create", "params": step["ask"]})
    elif "exit" in step:
        print("out of ideas", file=sys.stderr, flush=True)
        sys.exit(step["exit"])
    elif "shell" in step:
        done = subprocess.run(step["shell"], shell=True, capture_output=True, text=True)
        result = text(done.stdout + done.stderr + f"exit {done.returncode}")
    elif "change" in step:
        tools = step["change"]
        send({"method": "notifications/tools/list_changed"})
        result = text("changed")
    else:
        result = step
    send({"id": id, "result": result})


def request(id, method, params):
    capabilities = {"tools": {"listChanged": True}}
    info = {"name": "scripted", "version": "7.8"}
    if method == "server/discover" and era == "modern":
        meta = {"io.modelcontextprotocol/serverInfo": info}
        send({"id": id, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private", "_meta": meta}})
    elif method == "initialize" and era == "legacy":
        send({"id": id, "result": {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info}})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": tools}})
    elif method == "tools/call":
        call(id, params)
    elif method == "resources/read" and params["uri"] in script.get("resources", {}):
        contents = [{"uri": params["uri"], "text": script["resources"][params["uri"]]}]
        send({"id": id, "result": {"contents": contents, "resultType": "complete"}})
    elif method == "subscriptions/listen":
        meta = {"io.modelcontextprotocol/subscriptionId": id}
        send({"method": "notifications/subscriptions/acknowledged", "params": {"_meta": meta, "notifications": params["notifications"]}})
    else:
        send({"id": id, "error": {"code": -32601, "message": "Method not found"}})


for line in sys.stdin:
    log.write(line)
    log.flush()
    message = json.loads(line)
    if "method" in message:
        if "id" in message:
            request(message["id"], message["method"], message.get("params", {}))
    elif message["id"] in waiting:
        send({"id": waiting[message["id"]], "result": text(json.dumps(message.get("result", message.get("error"))))})
