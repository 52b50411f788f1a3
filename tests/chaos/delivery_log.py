# SPDX-License-Identifier: Apache-2.0
# The receivers of the rooms: which delivery came when, held up at will.

import json
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from webhook_receiver import Receiver  # noqa: E402


class DeliveryLog(Receiver):
    """Takes deliveries of events at `/room...` and questions of hooks at `/hook...`, which it allows.

    A call to a path in `hold` is noted and not answered before `let_go`; one to a path in `delay` is answered after
    so many seconds.
    """

    def __init__(self, address: str = "127.0.0.1"):
        super().__init__(address)
        self.order = {}  # room -> indexes by their first receipt
        self.deliveries = {}  # (room, index) -> ids of deliveries
        self.calls = {}  # path -> calls that began
        self.count = 0
        self.hold, self.delay = {}, {}

    def take(self, handler, body: bytes):
        path = handler.path
        with self.changed:
            self.calls[path] = self.calls.get(path, 0) + 1
            if path.startswith("/room"):
                self.note_delivery(json.loads(body)["data"])
            self.changed.notify_all()
            gate = self.hold.get(path)
        if gate is not None:
            gate.wait()
        elif path in self.delay:
            self.released.wait(self.delay[path])
        answer = b'{"action":"allow"}' if path.startswith("/hook") else b""
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(answer)))
        handler.end_headers()
        handler.wfile.write(answer)

    def note_delivery(self, data: dict):
        self.count += 1
        room, index = data["event"]["room_id"], data["event"]["index"]
        ids = self.deliveries.setdefault((room, index), set())
        if not ids:
            self.order.setdefault(room, []).append(index)
        ids.add(data["delivery_id"])

    def hold_up(self, path: str):
        self.hold[path] = threading.Event()

    def let_go(self, path: str):
        """Answers what waits, and does not hold up what comes."""
        with self.changed:
            gate = self.hold.pop(path)
        gate.set()

    def called(self, path: str) -> int:
        with self.changed:
            return self.calls.get(path, 0)

    def received(self, room: str) -> list[int]:
        with self.changed:
            return list(self.order.get(room, []))

    def wait_for_call(self, path: str, number: int, patience: float) -> bool:
        return self.wait_for(lambda: self.calls.get(path, 0) >= number, patience)

    def close(self):
        for gate in list(self.hold.values()):
            gate.set()
        super().close()
