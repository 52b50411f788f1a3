# SPDX-License-Identifier: Apache-2.0
# The other end of the channels: answers each delivery after as long as its path takes, and keeps when it came.

import asyncio
import json
import threading
import time

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


class Call(asyncio.Protocol):
    """One connection. Callers send the next request when they have the answer."""

    def __init__(self, receiver: "Receiver"):
        self.receiver, self.received = receiver, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.received += data
        head, is_whole, body = self.received.partition(b"\r\n\r\n")
        if not is_whole:
            return
        lines = head.decode().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        if len(body) < int(fields["content-length"]):
            return
        self.received = b""
        self.receiver.take(self, lines[0].split(" ")[1], json.loads(body)["data"])

    def answer(self):
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


class Receiver:
    """`delays` are seconds by path. What comes to a path in `held` is noted and never answered."""

    def __init__(self):
        self.delays, self.held = {}, set()
        self.changing = threading.Lock()
        self.order = {}  # room -> indexes by their first arrival
        self.arrivals = {}  # room -> {index: when it came last}
        self.answered = {}  # path -> [calls, seconds they were kept]
        self.loop = asyncio.new_event_loop()
        listening = self.loop.create_server(lambda: Call(self), "127.0.0.1", 0, backlog=4096)
        server = self.loop.run_until_complete(listening)
        self.port = server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def take(self, call: Call, path: str, data: dict):
        now = time.monotonic()
        room, index = data["event"]["room_id"], data["event"]["index"]
        with self.changing:
            came = self.arrivals.setdefault(room, {})
            if index not in came:
                self.order.setdefault(room, []).append(index)
            came[index] = now
        if path in self.held:
            return
        delay = self.delays.get(path, 0.0)
        if delay:
            self.loop.call_later(delay, self.let_go, call, path, now)
        else:
            call.answer()

    def let_go(self, call: Call, path: str, since: float):
        call.answer()
        with self.changing:
            kept = self.answered.setdefault(path, [0, 0.0])
            kept[0] += 1
            kept[1] += time.monotonic() - since

    def mean_delay(self, path: str) -> float:
        """Seconds that calls to it were really kept since this was asked last."""
        with self.changing:
            count, seconds = self.answered.pop(path)
        return seconds / count

    def wait_for_answers(self, path: str, count: int, patience: float):
        """Until so many calls of that path were answered since `mean_delay` asked for them."""
        self.until(lambda: self.answered.get(path, [0])[0] >= count, patience)

    def until(self, look, patience: float) -> bool:
        """Until `look()` answers something true; it is called with nothing arriving meanwhile."""
        end = time.monotonic() + patience
        while True:
            with self.changing:
                is_so = look()
            if is_so or time.monotonic() > end:
                return bool(is_so)
            time.sleep(0.02)  # between two looks

    def wait_for_each(self, wanted: dict[str, int], patience: float) -> int:
        """Until each of these rooms got so many events; answers how many of them did."""
        def complete():
            return sum(len(self.order.get(room, ())) >= count for room, count in wanted.items())

        self.until(lambda: complete() == len(wanted), patience)
        with self.changing:
            return complete()

    def orders(self) -> dict[str, list[int]]:
        with self.changing:
            return {room: list(indexes) for room, indexes in self.order.items()}

    def wait_for_calls(self, rooms: list[str], since: float, count: int, patience: float) -> dict:
        """Until so many events of these rooms were delivered after that moment, again or not: (room, index) -> when."""
        found = {}

        def look():
            for room in rooms:
                for index, at in self.arrivals.get(room, {}).items():
                    if at > since:
                        found[room, index] = at
            return len(found) >= count

        self.until(look, patience)
        return found

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
