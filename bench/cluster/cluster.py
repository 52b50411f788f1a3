# SPDX-License-Identifier: Apache-2.0
# Workers on one database, the rooms in them, and the load that is put on them.

import base64
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess

from database import TICKS, Connections, Database
from receiver import Receiver

TOKEN = "cvt_benchmarkbenchmarkbenchmarkbenchmarkbenchmark"
# Longer than any delivery here: an attempt is never given up because of its length.
LONGEST_ATTEMPT_MS = 30_000


class Client:
    """One connection, kept open. Not for two threads at once."""

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body=None, *expected: int):
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        self.connection.request(method, path, data, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status not in (expected or (200,)):
            raise RuntimeError(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text) if "json" in answer.getheader("content-type", "") else text.decode()

    def say(self, room: str) -> bool:
        """Waits for the delivery; false if the answer came before it."""
        body = {"content": {"type": "text", "body": "x" * 1024}, "channel_id": "web"}
        return self.ask("POST", f"/api/v1/rooms/{room}/events", body, 201, 202)["progress"] == "delivered"

    def close(self):
        self.connection.close()


class Worker:
    def __init__(self, programs: pathlib.Path, database: Database, secrets: str):
        env = dict(os.environ, DB_URL=database.url, SECRETS_KEY=secrets, BOOTSTRAP_TOKEN=TOKEN, LOG_LEVEL="error",
                   RATE_LIMIT_PER_TOKEN="1000000", OUTGOING_ALLOWED="127.0.0.0/8")
        self.process = subprocess.Popen(
            [str(programs / "convene"), "--port", "0", "serve"], env=env, stdout=subprocess.PIPE, text=True
        )
        said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)", said.partition("//")[2])[1])

    def cpu(self) -> tuple[float, float]:
        """Seconds of user and system."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) / TICKS, int(fields[12]) / TICKS

    def figures(self) -> dict[str, float]:
        """Its metrics that have no labels."""
        client = Client(self.port)
        lines = client.ask("GET", "/metrics").splitlines()
        client.close()
        return {name: float(value) for name, _, value in (line.partition(" ") for line in lines) if name[0] not in "#"
                and "{" not in name}

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Cluster:
    def __init__(self, programs: pathlib.Path):
        self.programs = programs
        self.database = Database()
        self.receiver = Receiver()
        self.secrets = base64.b64encode(os.urandom(32)).decode()
        self.workers: list[Worker] = []
        self.channels: dict[str, str] = {}

    def set_workers(self, count: int) -> list[Worker]:
        while len(self.workers) > count:
            self.workers.pop().stop()
        while len(self.workers) < count:
            self.workers.append(Worker(self.programs, self.database, self.secrets))
        return self.workers

    def replace_killed(self, at: int):
        self.workers[at] = Worker(self.programs, self.database, self.secrets)

    def make_rooms(self, count: int, path: str = "") -> list[str]:
        """Rooms whose events are delivered to that path of the receiver; without one, to nobody."""
        client = Client(self.workers[0].port)
        if path and path not in self.channels:
            wanted = {"type": "webhook", "url": self.receiver.url(path), "attempt_deadline_ms": LONGEST_ATTEMPT_MS}
            self.channels[path] = client.ask("POST", "/api/v1/channels", wanted, 201)["channel"]["id"]
        channels = ["web", self.channels[path]] if path else ["web"]
        body = {"channels": [{"channel_id": channel} for channel in channels]}
        made = [client.ask("POST", "/api/v1/rooms", body, 201)["id"] for _ in range(count)]
        client.close()
        return made

    def start_sending(self, workers: list[Worker], senders: int, messages: int, *more: str) -> subprocess.Popen:
        servers = ",".join(f"{one.port}:{one.process.pid}" for one in workers)
        return subprocess.Popen(
            [str(self.programs / "convene_bench_send"), "--servers", servers, "--senders", str(senders),
             "--messages", str(messages), *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def send(self, workers: list[Worker], senders: int, messages: int, *more: str) -> dict:
        """What the senders saw."""
        running = self.start_sending(workers, senders, messages, *more)
        out, err = running.communicate()
        if running.returncode != 0:
            raise RuntimeError(err)
        return json.loads(out)

    def send_one_each(self, worker: Worker, rooms: list[str]) -> dict:
        """A message into each room, at once. *Requires*: a multiple of the senders where there are more rooms."""
        senders = min(len(rooms), 20)
        return self.send([worker], senders, len(rooms), "--into", ",".join(rooms))

    def measure(self, what: str, rooms: int, workers: int, senders: int, messages: int, *more: str) -> dict:
        """A row: what the senders saw, and what it cost the servers and the database."""
        running = self.set_workers(workers)
        with Connections(self.database) as connections:
            before = self.database.counters()
            seen = self.send(running, senders, messages, "--rooms", str(rooms), *more)
            after = self.database.counters()
        used = {name: after[name] - before[name] for name in after}
        # Making the rooms and the round before are a part of what the database counted.
        sent = messages + rooms
        return {
            "what": what, "rooms": rooms, "workers": workers, "senders": senders, **seen,
            "database_us": (used["user"] + used["system"]) * 1e6 / sent,
            "transactions": used["transactions"] / sent,
            "syncs": used["syncs"] / sent,
            "connections": connections.most,
        }

    def lost_of(self, rooms: list[str]) -> int:
        """Events of these rooms that the receiver did not get in order; and skips. What is under way is waited for."""
        listed = ",".join(f"'{room}'" for room in rooms)
        latest = dict(self.database.rows(f"SELECT id, latest_index FROM rooms WHERE id IN ({listed})"))
        wanted = {room: int(latest[room]) + 1 for room in rooms}
        self.receiver.wait_for_each(wanted, 60)
        orders = self.receiver.orders()
        wrong = sum(wanted[room] for room in rooms if orders.get(room, []) != list(range(wanted[room])))
        return wrong + int(self.database.ask("SELECT count(*) FROM delivery_skips")[0])

    def close(self):
        self.set_workers(0)
        self.receiver.close()
        self.database.remove()
