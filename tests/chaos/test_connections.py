#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Connections to the database that end, one by one and all together: no worker is taken for dead, nothing is lost.

import time

from cluster_case import PATIENCE, ClusterCase, long_form, main
from database import ADVISORY, lease_key

# Others may judge 10 s after the database, or their own session, came back; what they would do wrong shows then.
JUDGED = 12.0


class Connections(ClusterCase):
    def kinds(self, worker) -> dict[str, list[int]]:
        """The worker's sessions, by what they do for it."""
        locks = self.database.ask(f"{ADVISORY} AND l.granted AND l.mode = 'ExclusiveLock'")
        organization, = {row[0] for row in self.database.ask("SELECT organization_id FROM rooms")}
        rooms = [row[0] for row in self.database.ask("SELECT id FROM rooms")]
        room_keys = {lease_key("room", organization, room) for room in rooms}
        in_lock = {int(pid) for pid, _, _, key, _ in locks if int(key) in room_keys}
        in_lease = {int(pid) for pid, *_ in locks} - in_lock
        found = {"room lock": [], "lease": [], "listener": [], "other": []}
        for pid, query in self.database.ask(
            f"SELECT pid, query FROM pg_stat_activity WHERE application_name = 'convene {worker.incarnation}'"
        ):
            is_listener = any(word in query for word in ("LISTEN", "pg_notify", "convene_", "lease_info"))
            kind = "room lock" if int(pid) in in_lock else "lease" if int(pid) in in_lease else ""
            found[kind or ("listener" if is_listener else "other")].append(int(pid))
        return found

    def is_gone(self, pid: int) -> bool:
        return self.database.number(f"SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}") == 0

    def end(self, pid: int):
        self.database.ask(f"SELECT pg_terminate_backend({pid})")
        self.until(lambda: self.is_gone(pid), f"session {pid} does not end")

    # Under load an operator ends sessions of a worker until each kind was met: one that holds a room's lock, the one
    # with the leases, those that listen, and all others, one after the other.
    # Proves: L6, L10, D9, R8
    def test_each_kind_is_ended(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(8)
        traffic = self.traffic(rooms, 24, hot=rooms[0]).start()
        traffic.wait_for(100, PATIENCE)

        def one_of(kind: str):
            found = self.kinds(one)[kind]
            return found[0] if found else None

        for kind in ("room lock", "room lock", "lease", "lease"):
            pid = self.until(lambda: one_of(kind), f"no session was seen as {kind}", pause=0.0)
            self.end(pid)
            traffic.wait_for(30, PATIENCE)
        ended = {kind: 0 for kind in ("room lock", "lease", "listener", "other")}
        for kind, pids in self.kinds(one).items():
            for pid in pids:
                self.end(pid)
                ended[kind] += 1
        self.note(f"ended: {ended}")
        self.assertGreaterEqual(ended["listener"], 2)
        traffic.wait_for(200, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_nobody_died()
        self.assert_invariants(traffic.acknowledged)
        self.assertEqual(one.current_incarnation(), one.incarnation)

    # The database restarts under load, once in order and once as after a crash: the workers go on, and nobody takes
    # another one for dead because it took its time to come back.
    # Proves: O4, L10, D9, R1, R8, R18
    def test_the_database_restarts(self):
        workers = self.start_workers(3)
        rooms = self.make_rooms(8)
        reader = self.reader(rooms[0])
        traffic = self.traffic(rooms, 16, hot=rooms[0]).start()
        for mode in ("fast", "immediate"):
            traffic.wait_for(200, PATIENCE)
            down_at = time.monotonic()
            self.database.restart(mode)
            up_at = time.monotonic()
            traffic.wait_for(1, PATIENCE)
            self.note(
                f"{mode} restart took {up_at - down_at:.2f} s,"
                f" the next message was acknowledged {time.monotonic() - up_at:.2f} s later"
            )
        while time.monotonic() < up_at + JUDGED:
            traffic.wait_for(1, PATIENCE)
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_nobody_died()
        self.assert_invariants(traffic.acknowledged)
        for worker in workers:
            self.assertEqual(worker.current_incarnation(), worker.incarnation)
        latest = self.database.number(f"SELECT latest_index FROM rooms WHERE id = '{rooms[0]}'")
        self.assertTrue(reader.wait_for(latest, PATIENCE))
        self.assertEqual(reader.indexes, list(range(latest + 1)))

    # The database is away for some seconds: workers stay, say 503 and that they are not ready, and go on afterwards.
    # Proves: O4, O2
    @long_form
    def test_the_database_is_away(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(4)
        traffic = self.traffic(rooms, 8).start()
        traffic.wait_for(50, PATIENCE)
        self.database.stop("fast")
        for worker in (one, other):
            self.until(lambda: worker.ask("GET", "/readyz")[0] == 503, f"{worker.name} is ready without a database")
            self.assertEqual(worker.ask("GET", "/livez")[0], 200)
        self.database.start()
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assertTrue(one.is_running() and other.is_running())
        self.assert_nobody_died()
        self.assert_invariants(traffic.acknowledged)


if __name__ == "__main__":
    main()
