# SPDX-License-Identifier: Apache-2.0
# The other end of webhooks: a real HTTP server that verifies signatures and answers as it is told.

import base64
import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sign(secret: str, ident: str, stamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{ident}.{stamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(secret: str, ident: str, body: bytes, age: int = 0) -> dict:
    stamp = str(int(time.time()) - age)
    return {
        "webhook-id": ident,
        "webhook-timestamp": stamp,
        "webhook-signature": sign(secret, ident, stamp, body),
        "Content-Type": "application/json",
    }


class CallServer(ThreadingHTTPServer):
    """Takes as many calls at once as come; a caller that was killed breaks its connections."""

    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, *_):
        pass


class Receiver:
    """Keeps what it took, by its path; a path answers 200 unless `answers` says otherwise, or never if it hangs."""

    def __init__(self, address: str = "127.0.0.1"):
        self.taken, self.refused, self.secrets = {}, [], {}
        self.answers, self.hanging = {}, set()
        self.changed = threading.Condition()
        self.released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self, body)

            def log_message(self, *_):
                pass

        self.server = CallServer((address, 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def take(self, handler, body: bytes):
        path, ident = handler.path, handler.headers["webhook-id"]
        secret = self.secrets.get(path)
        if path in self.hanging:
            self.note(path, handler, body)
            self.released.wait()
            handler.close_connection = True
            return
        status, more = self.answers.get(path, (200, {}))
        if secret is not None:
            expected = sign(secret, ident, handler.headers["webhook-timestamp"], body)
            if expected not in handler.headers["webhook-signature"].split(" "):
                self.refused.append(path)
                status = 401
        if status == 200:
            self.note(path, handler, body)
        handler.send_response(status)
        for name, value in more.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def note(self, path: str, handler, body: bytes):
        with self.changed:
            entry = (handler.headers["webhook-id"], json.loads(body), time.monotonic())
            self.taken.setdefault(path, []).append(entry)
            self.changed.notify_all()

    def ids(self, path: str) -> list:
        with self.changed:
            return [entry[0] for entry in self.taken.get(path, [])]

    def bodies(self, path: str) -> list:
        with self.changed:
            return [entry[1] for entry in self.taken.get(path, [])]

    def times(self, path: str) -> list:
        with self.changed:
            return [entry[2] for entry in self.taken.get(path, [])]

    def wait_for(self, holds, patience: float) -> bool:
        """Until what was taken makes `holds()` true."""
        with self.changed:
            return self.changed.wait_for(holds, patience)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
