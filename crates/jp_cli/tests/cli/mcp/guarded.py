"""An MCP server that wants a login, and the authorization server it names, in one: for the tests."""

import hashlib
import json
from base64 import urlsafe_b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

challenges = {}


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, value=None, **head):
        body = json.dumps(value or {}).encode()
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **head}.items():
            self.send_header(name.replace("_", "-"), text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path == "/.well-known/oauth-protected-resource/mcp":
            self.answer(200, {"resource": here + "/mcp", "authorization_servers": [here]})
        elif path == "/.well-known/oauth-authorization-server":
            self.answer(200, {
                "issuer": here, "authorization_endpoint": here + "/authorize",
                "token_endpoint": here + "/token", "registration_endpoint": here + "/register",
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            })
        elif path == "/authorize":
            challenges["hidden-code"] = query["code_challenge"][0]
            back = {"code": "hidden-code", "state": query["state"][0], "iss": here}
            self.answer(302, Location=query["redirect_uri"][0] + "?" + urlencode(back))
        else:
            self.answer(405 if path == "/mcp" else 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        path = urlsplit(self.path).path
        if path == "/register":
            self.answer(201, {"client_id": "c", "client_secret": "hidden-secret", "redirect_uris": []})
        elif path == "/token":
            form = parse_qs(body)
            sum = urlsafe_b64encode(hashlib.sha256(form["code_verifier"][0].encode()).digest())
            is_right = challenges.get(form["code"][0]) == sum.decode().rstrip("=")
            token = {"access_token": "hidden-token", "token_type": "Bearer", "expires_in": 3600}
            self.answer(200, token) if is_right else self.answer(400, {"error": "invalid_grant"})
        elif self.headers.get("Authorization") != "Bearer hidden-token":
            where = here + "/.well-known/oauth-protected-resource/mcp"
            self.answer(401, WWW_Authenticate=f'Bearer resource_metadata="{where}"')
        else:
            self.mcp(json.loads(body))

    def mcp(self, message):
        results = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "guarded", "version": "1"}},
            "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]},
            "tools/call": {"content": [{"type": "text", "text": "let in"}]},
        }
        result = results.get(message.get("method"))
        if "id" not in message:
            self.answer(202)
        elif result is None:
            error = {"code": -32601, "message": "Method not found"}
            self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
here = f"http://127.0.0.1:{server.server_address[1]}"
print(here, "listens", flush=True)
server.serve_forever()
