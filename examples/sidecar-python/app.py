"""An application behind Portaria, with the standard library only.

It receives the events that Portaria forwards, verifies their signature
(Standard Webhooks), ignores repeats, and prints each event.
"""

import base64
import hashlib
import hmac
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 10 * 1024 * 1024

key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
# A real application stores the ids in the transaction that applies the event.
seen = set()


def is_signed(headers, body):
    """Whether one of the signatures matches and the timestamp is recent."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(f"v1,{expected}", signature) for signature in signatures)


class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        if self.path != "/webhooks" or length > MAX_BODY_BYTES:
            return self.respond(404)
        body = self.rfile.read(length)
        if not is_signed(self.headers, body):
            return self.respond(401)
        # The id is the same for each attempt. Portaria retries on 500 and on a broken connection.
        message_id = self.headers["webhook-id"]
        if message_id not in seen:
            event = json.loads(body)
            print(message_id, event["type"], event["data"].get("id"), flush=True)
            seen.add(message_id)
        return self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Prints events only, not requests."""


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Webhooks)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print(f"application on port {server.server_address[1]}", flush=True)
server.serve_forever()
