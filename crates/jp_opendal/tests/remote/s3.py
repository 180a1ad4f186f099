"""An S3 server with one bucket and one user, in memory, on a free port of loopback.

Prints the port and the two parts of the user's key, then serves until it is killed. Requests have to be
signed by the user: the server computes each signature again. Its one argument is the bucket.
"""

import json
import sys

from moto import settings
from moto.core import DEFAULT_ACCOUNT_ID
from moto.iam.models import iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server


class Handler(WSGIRequestHandler):
    """Keeps connections, as S3 does, and does not report on every request."""

    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


def main():
    bucket = sys.argv[1]
    iam = iam_backends[DEFAULT_ACCOUNT_ID]["aws"]
    iam.create_user("us-east-1", "tester")
    everything = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}}
    iam.put_user_policy("tester", "everything", json.dumps(everything))
    key = iam.create_access_key("tester")
    s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(bucket, "us-east-1")
    # From the first request on.
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    app = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Handler)
    print(server.server_port, key.access_key_id, key.secret_access_key, flush=True)
    server.serve_forever()


main()
