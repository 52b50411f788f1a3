# SPDX-License-Identifier: Apache-2.0
# What the tests of a cluster share: a database of their own, workers, rooms with receivers, and what must hold after.
"""Usage of a test file: `python3 test_frozen.py PROGRAM [unittest arguments]`.

`CONVENE_CHAOS_SECONDS` asks for the long form, and is how long its storm lasts; `CONVENE_CHAOS_SEED` repeats what was
drawn at random, and `CONVENE_CHAOS_KEEP` names a folder that the logs of failed tests are kept in.
"""

import os
import random
import shutil
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from served_case import PATIENCE, SETTINGS, main, message  # noqa: E402, F401

import invariants  # noqa: E402
from clients import Reader, Traffic  # noqa: E402
from database import Database, lease_key  # noqa: E402
from delivery_log import DeliveryLog  # noqa: E402
from worker import Worker  # noqa: E402

SECONDS = float(os.environ.get("CONVENE_CHAOS_SECONDS", "0"))
SEED = int(os.environ.get("CONVENE_CHAOS_SEED") or random.randrange(1_000_000))
KEPT = os.environ.get("CONVENE_CHAOS_KEEP", "")

long_form = unittest.skipUnless(SECONDS, "only in the long form, ./dev chaos")

# Within which a dead worker is found, and what it left is delivered: far above what it takes, printed beside it.
RECOVERY = 15.0
# Without any delivery, though some are left; and all together. A worker that was cut off may hold a room's lock for
# 35 s.
STANDSTILL, LONGEST_SETTLING = 45.0, 600.0
LOG_TAIL = 60  # lines of each worker that are shown when a test fails


class ClusterCase(unittest.TestCase):
    """`database_settings` are those of the PostgreSQL server; `settings` those of all workers."""

    database_settings = {}
    settings = {}
    receiver_address = "127.0.0.1"

    def setUp(self):
        self.seed = SEED
        self.draw = random.Random(f"{self.seed}:{self.id()}")
        print(f"{self.id()}: seed {self.seed}", flush=True)
        self.folder = Path(tempfile.mkdtemp(prefix="convene_chaos_"))
        self.addCleanup(self.leave_folder)
        self.database = Database(**self.database_settings)
        self.addCleanup(self.database.remove)
        self.log = DeliveryLog(self.receiver_address)
        self.addCleanup(self.log.close)
        self.workers, self.bound, self.expected_dead = [], {}, set()
        self.addCleanup(self.end_workers)

    def run(self, result=None):
        """Knows after the test whether it failed: then the logs are shown."""
        self.outcome = result
        self.problems_before = len(result.failures) + len(result.errors) if result else 0
        started = time.monotonic()
        super().run(result)
        self.note(f"{time.monotonic() - started:.1f} s in all")
        return result

    def leave_folder(self):
        has_failed = len(self.outcome.failures) + len(self.outcome.errors) > self.problems_before
        if has_failed:
            for log in sorted(self.folder.glob("*.log")):
                lines = log.read_text(errors="replace").splitlines()
                print(f"--- {log.name}, {len(lines)} lines", *lines[-LOG_TAIL:], sep="\n", flush=True)
        if has_failed and KEPT:
            shutil.copytree(self.folder, Path(KEPT) / f"{self.id()}-{self.seed}", dirs_exist_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_workers(self):
        for worker in self.workers:
            if worker.process is not None and not worker.is_running():
                self.note(f"{worker.name} had ended: {worker.process.returncode}")
            worker.end()

    def note(self, text: str):
        """A figure that is shown and not judged."""
        print(f"    {text}", flush=True)

    # -- the cluster

    def make_worker(self, *arguments, address: str = "", **settings) -> Worker:
        """Not started yet."""
        common = SETTINGS | {"LOG_LEVEL": "warn", "OUTGOING_ALLOWED": "127.0.0.0/8"} | self.settings
        name = f"worker{len(self.workers)}"
        made = Worker(
            name, self.folder, self.database, common | settings, *(arguments or ("serve",)), address=address
        )
        self.workers.append(made)
        return made

    def start_workers(self, count: int) -> list[Worker]:
        made = [self.make_worker() for _ in range(count)]
        for worker in made:
            worker.launch()
        for worker in made:
            self.assertTrue(worker.wait_for_start(), worker.logged())
            worker.incarnation = worker.current_incarnation()
        return made

    def ports(self) -> list[int]:
        return [worker.port for worker in self.workers if worker.is_running()]

    def ask(self, worker: Worker, method: str, path: str, body=None, expect: int = 200):
        status, _, answer = worker.ask(method, f"/api/v1/{path}", body)
        self.assertEqual(status, expect, answer)
        return answer

    def make_rooms(self, count: int, name: str = "room", **more) -> list[str]:
        """Each with a webhook channel of its own, whose receiver is `/NAME-NUMBER`."""
        worker, made = self.workers[0], []
        for number in range(count):
            path = f"/{name}-{number}"
            wanted = {"type": "webhook", "url": self.receiver_url(path), "name": path, **more}
            channel = self.ask(worker, "POST", "channels", wanted, 201)["channel"]["id"]
            body = {"external_id": f"{name}-{number}", "channels": [{"channel_id": "web"}, {"channel_id": channel}]}
            made.append(self.ask(worker, "POST", "rooms", body, 201)["id"])
            self.bound[made[-1]] = path
        return made

    def receiver_url(self, path: str) -> str:
        return self.log.url(path)

    def room_key(self, room: str) -> int:
        organization = self.database.value(f"SELECT organization_id FROM rooms WHERE id = '{room}'")
        return lease_key("room", organization, room)

    def traffic(self, rooms: list[str], writers: int, **more) -> Traffic:
        made = Traffic(self.ports(), rooms, writers, self.seed, **more)
        self.addCleanup(made.stopping.set)
        return made

    def reader(self, room: str, seed: int = 0, ports: list[int] | None = None) -> Reader:
        made = Reader(ports or self.ports(), room, self.seed + seed)
        self.addCleanup(made.stop)
        made.start()
        return made

    def in_background(self, work, *arguments) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        thread.start()
        return thread

    # -- waiting

    def until(self, look, what: str, patience: float = PATIENCE, pause: float = 0.02):
        """Asks until `look()` answers something true, and answers that."""
        end = time.monotonic() + patience
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > end:
                self.fail(f"waited {patience:.0f} s in vain: {what}")
            time.sleep(pause)  # between two looks

    def until_dead(self, incarnation: str, patience: float = RECOVERY) -> float:
        """Until its death is on record; answers how long that took."""
        started = time.monotonic()
        self.until(lambda: self.database.states()[incarnation] == 3, f"{incarnation} is not dead", patience)
        self.expected_dead.add(incarnation)
        return time.monotonic() - started

    def until_ready(self, worker: Worker, patience: float = PATIENCE):
        def look():
            try:
                return worker.ask("GET", "/readyz")[0] == 200
            except OSError:
                return False

        self.until(look, f"{worker.name} is not ready", patience)

    # -- what must hold

    def assert_nobody_died(self):
        dead = {name for name, state in self.database.states().items() if state == 3}
        self.assertEqual(dead - self.expected_dead, set(), "declared dead")

    def settle(self):
        """Waits for deliveries that are under way. They may be many, but something has to move."""
        started = moved = time.monotonic()
        left = None
        while open_now := invariants.behind(self.database) + invariants.unfinished(self.database):
            now, lag = time.monotonic(), invariants.lag(self.database)
            if lag != left:
                moved, left = now, lag
            self.assertLess(now - moved, STANDSTILL, f"{lag} deliveries do not come to an end: {open_now[:5]}")
            self.assertLess(now - started, LONGEST_SETTLING, f"{lag} deliveries take too long: {open_now[:5]}")
            time.sleep(0.1)  # between two looks
        self.note(f"settled {time.monotonic() - started:.2f} s after the last message")

    def assert_invariants(self, acknowledged: dict):
        """Everything that has to hold when the work is done."""
        self.settle()
        database = self.database
        self.assertEqual(
            invariants.dense(database)
            + invariants.stored_once(database, acknowledged)
            + invariants.deliveries_failed(database)
            + invariants.skips(database)
            + invariants.received(database, self.log, self.bound)
            + invariants.locks(database)
            + invariants.claims(database),
            [],
        )
        for worker in self.workers:
            if worker.is_running() and not worker.is_frozen:
                self.until_ready(worker, 10)
        self.assert_nobody_died()
