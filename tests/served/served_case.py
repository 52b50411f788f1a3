# SPDX-License-Identifier: Apache-2.0
# What the tests of a running server share: starting and killing it, and asking it over real sockets.

import http.client
import json
import re
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import cli_case  # noqa: E402
from cli_case import PATIENCE, ROOT, CliCase, main  # noqa: E402, F401

TOKEN = "cvt_" + "5" * 43
SETTINGS = {"BOOTSTRAP_TOKEN": TOKEN, "LOG_LEVEL": "error", "RATE_LIMIT_PER_TOKEN": "1000000"}


def program() -> str:
    return cli_case.program


class Client:
    """One connection, kept open. Not for two threads at once."""

    def __init__(self, port: int, token: str = TOKEN, host: str = "127.0.0.1"):
        self.host, self.port, self.token, self.connection = host, port, token, None

    def ask(self, method: str, path: str, body=None, headers=None):
        """Status, headers and JSON of the answer. A connection that breaks raises OSError or HTTPException."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        sent = {"Authorization": f"Bearer {self.token}"} | (headers or {})
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, path, data, sent)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        is_json = "json" in (answer.getheader("content-type") or "")
        return answer.status, answer.headers, json.loads(text) if is_json else text

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class ServedCase(CliCase):
    """A server on a database of the test's own folder."""

    server = None
    port = 0
    link = ""

    def start_server(self, *arguments, port: int = 0):
        self.server = self.start("--port", port, *arguments, "serve", env=SETTINGS)
        said = ""
        while "#link=" not in said:
            line = self.server.stdout.readline().decode()
            if not line:
                self.fail(f"the server did not start: {said}{self.server.stderr.read().decode()}")
            said += line
        self.link = re.search(r"#link=(\S+)", said)[1]
        self.port = int(re.search(r"Convene serves \w+://[^:]+:(\d+)", said)[1])

    def kill_server(self):
        self.server.kill()
        self.server.wait()

    def stop_server(self) -> int:
        self.server.send_signal(signal.SIGTERM)
        return self.server.wait(PATIENCE)

    def client(self, token: str = TOKEN) -> Client:
        client = Client(self.port, token)
        self.addCleanup(client.close)
        return client

    def make_room(self, name: str, **more) -> str:
        status, _, room = self.client().ask("POST", "/api/v1/rooms", {"external_id": name, **more})
        self.assertEqual(status, 201, room)
        return room["id"]


def message(text: str, **more) -> dict:
    return {"content": {"type": "text", "body": text}, "channel_id": "web", **more}
