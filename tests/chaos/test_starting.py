#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Many workers that start at once, and workers of one command.

import os
import re
import signal
import time

from cluster_case import PATIENCE, SECONDS, ClusterCase, main, message
from database import Other
from tcp_gate import Gate
from worker import first_line_like

TWENTY = 20
ROUNDS = 20 if SECONDS else 1  # each on an empty database of its own

# With so many connections a worker sees that its database is there; it needs more to read it, to open it, and to work.
TAKEN_IN = (2, 6)


class TwentyAtOnce(ClusterCase):
    database_settings = {"max_connections": 400}

    # On an empty database one of twenty makes the tables, all serve, and none has an error to tell.
    # Proves: S2, L1
    def test_one_migrates(self):
        first = self.database
        for number in range(ROUNDS):
            if number > 0:
                for worker in self.workers:
                    self.assertEqual(worker.stop(), 0)
                self.workers.clear()
                self.bound.clear()
                self.database = Other(first, f"round{number}")
            self.start_twenty(f"room-{number}")

    def start_twenty(self, room_name: str):
        workers = [self.make_worker() for _ in range(TWENTY)]
        started = time.monotonic()
        for worker in workers:
            worker.launch()
        for worker in workers:
            self.assertTrue(worker.wait_for_start(), worker.logged())
        self.note(f"{TWENTY} workers serve after {time.monotonic() - started:.1f} s")
        steps = self.database.ask(
            "SELECT version, count(*) FROM schema_migrations GROUP BY version HAVING count(*) > 1"
        )
        self.assertEqual(steps, [])
        self.assertEqual(sorted(self.database.states().values()), [1] * TWENTY)
        failed = [line for worker in workers for line in worker.logged().splitlines() if " error " in line]
        self.assertEqual(failed, [])
        room, = self.make_rooms(1, name=room_name)
        for worker in workers:
            self.ask(worker, "POST", f"rooms/{room}/events", message(worker.name), 201)
        self.assert_invariants({})


class LateAnswers(ClusterCase):
    # A database that is busy takes in a worker's first connections, and then none for longer than a connect waits. The
    # worker says so, starts anew, and serves.
    # Proves: O4
    def test_a_start_is_tried_again(self):
        gate = Gate(self.database.port)
        self.addCleanup(gate.close)
        for taken_in in TAKEN_IN:
            with self.subTest(taken_in=taken_in):
                self.start_late(gate, taken_in)
        room, = self.make_rooms(1)
        for worker in self.workers:
            self.ask(worker, "POST", f"rooms/{room}/events", message(worker.name), 201)

    def start_late(self, gate, taken_in: int):
        gate.let_in(taken_in)
        worker = self.make_worker(address=f"{self.database.url(gate.port)}?connect_timeout=2")
        worker.launch()
        late = first_line_like(worker.log, "start_tried_again", worker.process, PATIENCE)
        self.assertIsNotNone(late, worker.logged())
        gate.let_in(None)
        self.assertTrue(worker.wait_for_start(), worker.logged())


class TooMany(ClusterCase):
    database_settings = {"max_connections": 100}

    # A server with room for five workers takes five; the sixth is refused by name, and says what to set.
    # Proves: O1, L4
    def test_the_sixth_is_refused(self):
        self.start_workers(5)
        sixth = self.make_worker()
        sixth.launch()
        self.assertFalse(sixth.wait_for_start())
        self.assertEqual(sixth.process.wait(PATIENCE), 5)
        self.assertIn("max_connections", sixth.logged())
        self.assertRegex(sixth.logged(), r"6 workers need 106")
        for worker in self.workers[:5]:
            self.until_ready(worker)

    # Twenty of one command are refused before any of them serves.
    # Proves: O1
    def test_twenty_are_refused(self):
        command = self.make_worker("serve", "--workers", TWENTY)
        command.launch()
        self.assertFalse(command.wait_for_start())
        self.assertEqual(command.process.wait(PATIENCE), 5)
        self.assertIn("max_connections", command.logged())


class OneCommand(ClusterCase):
    # `--workers 3` is three workers at one port. One that is killed is replaced, and its work is done; when the command
    # itself is killed, its workers end too.
    # Proves: D7, O3, S2
    def test_three_of_one_command(self):
        command = self.make_worker("serve", "--workers", 3)
        command.launch()
        self.assertTrue(command.wait_for_start(), command.logged())
        self.until(lambda: list(self.database.states().values()) == [1, 1, 1], "three workers are not there")
        rooms = self.make_rooms(6)
        traffic = self.traffic(rooms, 12).start()
        traffic.wait_for(100, PATIENCE)
        before = self.children(command.process.pid)
        self.assertEqual(len(before), 3)
        os.kill(before[0], signal.SIGKILL)
        self.until(lambda: sorted(self.database.states().values()) == [1, 1, 1, 3], "it was not replaced")
        self.expected_dead = {name for name, state in self.database.states().items() if state == 3}
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assertRegex(command.logged(), r"worker_ended .*signal=9")
        self.assert_invariants(traffic.acknowledged)

        after = self.children(command.process.pid)
        command.kill()
        self.until(lambda: not any(map(self.is_there, after)), "workers outlive their command")

    def test_it_stops_in_order(self):
        command = self.make_worker("serve", "--workers", 2)
        command.launch()
        self.assertTrue(command.wait_for_start(), command.logged())
        self.until(lambda: list(self.database.states().values()) == [1, 1], "two workers are not there")
        self.assertEqual(command.stop(), 0)
        self.assertEqual(list(self.database.states().values()), [3, 3])
        sessions = self.database.number(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'convene%'"
        )
        self.assertEqual(sessions, 0)

    @staticmethod
    def children(pid: int) -> list[int]:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as listed:
            return [int(word) for word in listed.read().split()]

    @staticmethod
    def is_there(pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as state:
                return not re.search(r"\) Z ", state.read())
        except FileNotFoundError:
            return False


if __name__ == "__main__":
    main()
