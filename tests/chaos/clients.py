# SPDX-License-Identifier: Apache-2.0
# Who uses the cluster: writers that repeat a message until a worker acknowledges it, readers that resume anywhere.

import http.client
import json
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from served_case import TOKEN, Client, message  # noqa: E402

BROKEN = (OSError, http.client.HTTPException)
RETRYABLE_CODES = ("IDEMPOTENCY_IN_PROGRESS",)


def is_to_be_repeated(status: int, answer) -> bool:
    return status in (429, 503) or (status == 409 and answer.get("code") in RETRYABLE_CODES)


def client_of(place) -> Client:
    """`place`: a port of this machine, or a host and its port."""
    host, port = place if isinstance(place, tuple) else ("127.0.0.1", place)
    return Client(port, host=host)


class Traffic:
    """Writers, each a thread, that send to random rooms on random workers until they are told to stop.

    `ports` (see `client_of`) may change meanwhile. A message has a key, and is sent again under it until it is acknowledged.
    """

    def __init__(self, ports: list[int], rooms: list[str], writers: int, seed: int, hot: str = "", pause: float = 0.0):
        self.ports, self.rooms, self.hot, self.pause = ports, rooms, hot, pause
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.acknowledged = {}  # room -> {key: index}
        self.count, self.repeats, self.failures = 0, 0, []
        self.waits = []  # (seconds, what became of each try) of each message
        self.threads = [
            threading.Thread(target=self.write, args=(number, random.Random(f"{seed}:{number}")), daemon=True)
            for number in range(writers)
        ]

    def start(self) -> "Traffic":
        for thread in self.threads:
            thread.start()
        return self

    def stop(self, patience: float):
        """Each writer brings its last message to an end."""
        self.stopping.set()
        end = time.monotonic() + patience
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))
        stuck = sum(thread.is_alive() for thread in self.threads)
        if stuck:
            raise AssertionError(f"{stuck} writers did not get their last message acknowledged")
        if self.failures:
            raise AssertionError(f"{len(self.failures)} refusals, the first: {self.failures[0]}")

    def write(self, number: int, draw: random.Random):
        clients, sent = {}, 0
        while not self.stopping.is_set():
            room = self.hot if self.hot and draw.random() < 0.5 else draw.choice(self.rooms)
            key = f"w{number}-{sent}"
            sent += 1
            if not self.send(clients, room, key, draw):
                break
            if self.pause:
                self.stopping.wait(self.pause)
        for client in clients.values():
            client.close()

    def send(self, clients: dict, room: str, key: str, draw: random.Random) -> bool:
        wait = "delivered" if draw.random() < 0.1 else "committed"
        path = f"/api/v1/rooms/{room}/events?wait={wait}"
        started, tries = time.monotonic(), []
        while True:
            begun = time.monotonic()
            port = draw.choice(self.ports)
            client = clients.setdefault(port, client_of(port))
            try:
                status, _, answer = client.ask("POST", path, message(f"{key} " + "x" * 80, idempotency_key=key))
            except BROKEN as broken:
                tries.append(f"{type(broken).__name__} {time.monotonic() - begun:.1f} s")
                time.sleep(0.02)  # nobody listens at a port whose worker was killed
                self.repeats += 1
                continue
            tries.append(f"{status} {answer.get('code', wait)} {time.monotonic() - begun:.1f} s")
            if status in (200, 201, 202) and "index" in answer:
                self.acknowledge(room, key, answer["index"], time.monotonic() - started, tries)
                return True
            if not is_to_be_repeated(status, answer):
                with self.lock:
                    self.failures.append((status, answer))
                return False
            self.repeats += 1
            time.sleep(0.02)  # as Retry-After would have it, only shorter

    def acknowledge(self, room: str, key: str, index: int, seconds: float, tries: list[str]):
        with self.lock:
            self.acknowledged.setdefault(room, {})[key] = index
            self.count += 1
            self.waits.append((seconds, tries))

    def wait_for(self, more: int, patience: float):
        """Until so many more messages were acknowledged than now."""
        wanted = self.count + more
        end = time.monotonic() + patience
        while self.count < wanted and not self.failures:
            if time.monotonic() > end:
                raise AssertionError(f"{self.count} messages were acknowledged, {wanted} were waited for")
            time.sleep(0.01)  # between two looks

    def longest_wait(self) -> str:
        """How long, and what became of its tries."""
        with self.lock:
            seconds, tries = max(self.waits, default=(0.0, []))
        shown = tries if len(tries) <= 6 else [*tries[:3], f"{len(tries) - 6} more", *tries[-3:]]
        return f"{seconds:.2f} s ({', '.join(shown)})"


class Reader(threading.Thread):
    """Follows a room over SSE from its beginning; after each break it goes on at another worker, where it was."""

    def __init__(self, ports: list[int], room: str, seed: int):
        super().__init__(daemon=True)
        self.ports, self.room, self.draw = ports, room, random.Random(seed)
        self.indexes, self.times, self.last, self.breaks, self.wrong = [], [], "-1", 0, None
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.is_set():
            try:
                self.follow(self.draw.choice(self.ports))
            except BROKEN:
                self.breaks += 1
                time.sleep(0.05)  # nobody listens at a port whose worker was killed

    def follow(self, port: int):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=40)
        try:
            headers = {"Authorization": f"Bearer {TOKEN}", "Last-Event-ID": self.last}
            connection.request("GET", f"/api/v1/rooms/{self.room}/stream", headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise http.client.HTTPException(str(answer.status))
            name = ""
            while not self.stopping.is_set():
                line = answer.readline().decode()
                if not line:
                    raise http.client.IncompleteRead(b"")
                key, _, value = line.rstrip("\n").partition(": ")
                if key == "event":
                    name = value
                elif key == "data" and name == "message":
                    self.indexes.append(json.loads(value)["index"])
                    self.times.append(time.monotonic())
                    self.last = str(self.indexes[-1])
                elif key == "data" and name in ("resync", "erased"):
                    self.wrong = f"{name}: {value}"
        finally:
            connection.close()

    def wait_for(self, index: int, patience: float) -> bool:
        end = time.monotonic() + patience
        while time.monotonic() < end:
            if self.indexes and self.indexes[-1] >= index:
                return True
            time.sleep(0.005)  # between two looks
        return False

    def stop(self):
        self.stopping.set()
