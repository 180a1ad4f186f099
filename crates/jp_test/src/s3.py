"""An S3 server with one bucket and one user, in memory, on a free port of loopback.

Prints the port and the two parts of the user's key, then serves until it is killed. Requests have to be
signed by the user: the server computes each signature again. The first argument is the bucket, the others
are keys that are in it.
"""

import json
import sys
import threading
from urllib.parse import quote, unquote

from moto import settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.access_control import S3IAMRequest
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server


class Handler(WSGIRequestHandler):
    """Keeps connections, as S3 does, and does not report on every request."""

    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


# What the thread of a request was really sent.
received = threading.local()


def note_address(app):
    def noted(environ, start_response):
        received.address = environ["RAW_URI"]
        return app(environ, start_response)

    return noted


def signed_request(self, create=S3IAMRequest._create_aws_request):
    """Signs the address as the rules for signatures write it, whatever of it was encoded on the way."""
    request = create(self)
    path, mark, query = received.address.partition("?")
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    pairs = ["=".join(quote(unquote(part), safe="-_.~") for part in pair[::2]) for pair in pairs]
    request.url = quote(unquote(path), safe="/-_.~") + mark + "&".join(pairs)
    return request


def main():
    bucket, *keys = sys.argv[1:]
    iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    iam.create_user("us-east-1", "tester")
    everything = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}}
    iam.put_user_policy("tester", "everything", json.dumps(everything))
    key = iam.create_access_key("tester")
    s3 = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    s3.create_bucket(bucket, "us-east-1")
    for name in keys:
        s3.put_object(bucket, name, b"x")
    # From the first request on.
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    S3IAMRequest._create_aws_request = signed_request
    app = note_address(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
    print(server.server_port, key.access_key_id, key.secret_access_key, flush=True)
    server.serve_forever()


main()
