# SPDX-License-Identifier: Apache-2.0
# A run of an agent session as a client sees it: the frames of an answer, one after the other.

import http.client
import json
import socket

from served_case import PATIENCE, TOKEN


class Stream:
    """The answer to a request, frame by frame.

    `window`: so many bytes are on their way to it at most, so that who does not read is soon not written to.
    """

    def __init__(self, port: int, method: str, path: str, body=None, headers=None, window: int = 0):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        if window:
            self.connection.sock = socket.socket()
            self.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
            self.connection.sock.settimeout(PATIENCE)
            self.connection.sock.connect(("127.0.0.1", port))
        sent = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/event-stream"} | (headers or {})
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        self.connection.request(method, f"/api/v1/{path}", data, sent)
        self.answer = self.connection.getresponse()
        self.status = self.answer.status

    def frames(self):
        """(id, event) of each, until the stream ends or breaks."""
        name, data = None, None
        while True:
            try:
                line = self.answer.readline()
            except (OSError, http.client.HTTPException):
                return
            if not line:
                return
            text = line.decode().rstrip("\r\n")
            if text.startswith("id: "):
                name = text[4:]
            elif text.startswith("data: "):
                data = text[6:]
            elif text == "" and data is not None:
                yield name, json.loads(data)
                data = None

    def problem(self) -> dict:
        return json.loads(self.answer.read())

    def close(self):
        self.connection.close()


def text_of(events) -> str:
    return "".join(one["delta"] for one in events if one["type"] == "TEXT_MESSAGE_CONTENT")
