#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A backup of a running cluster, and a cluster that goes on from it.

import subprocess

import invariants
from clients import Reader
from cluster_case import PATIENCE, RECOVERY, ClusterCase, main, message
from database import BIN, Other


class Backup(ClusterCase):
    # A dump that was made under load, in the middle of a delivery, is restored into an empty database: a worker on it
    # has dense rooms, delivers what was open when the dump was made, under the same ids, and takes new messages. Who
    # read further than the dump goes is told to load again.
    # Proves: D7, R1, R3, R18
    def test_a_dump_under_load(self):
        workers = self.start_workers(2)
        rooms = self.make_rooms(6)
        held, = self.make_rooms(1, name="room-held", attempt_deadline_ms=30000)
        traffic = self.traffic(rooms, 12, hot=rooms[0]).start()
        traffic.wait_for(200, PATIENCE)
        path = self.bound[held]
        self.log.hold_up(path)
        sent = self.ask(workers[0], "POST", f"rooms/{held}/events?wait=committed", message("open"), 201)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        before = {room: len(keys) for room, keys in traffic.acknowledged.items()}
        dump = self.folder / "dump"
        subprocess.run(
            [str(BIN / "pg_dump"), "-Fc", "-d", self.database.url(), "-f", str(dump)], check=True, timeout=PATIENCE
        )
        traffic.wait_for(200, PATIENCE)
        traffic.stop(PATIENCE)
        for worker in workers:
            worker.kill()
        self.log.let_go(path)

        restored = Other(self.database, "restored")
        subprocess.run(
            [str(BIN / "pg_restore"), "-d", restored.url(), "--no-owner", str(dump)], check=True, timeout=PATIENCE
        )
        noted = self.make_worker("migrate", "--after-restore", address=restored.url())
        noted.launch()
        self.assertEqual(noted.process.wait(PATIENCE), 0, noted.logged())
        self.assertEqual(set(restored.states().values()), {3})
        calls = self.log.called(path)
        worker = self.make_worker(address=restored.url()).start()
        self.assertTrue(self.log.wait_for_call(path, calls + 1, RECOVERY), "what was open is not delivered")
        self.assertEqual(len(self.log.deliveries[held, sent["index"]]), 1)
        self.until(
            lambda: not invariants.behind(restored) and not invariants.unfinished(restored), "deliveries do not end"
        )
        self.assertEqual(invariants.dense(restored), [])
        self.assertEqual(invariants.skips(restored), [])
        reader = Reader([worker.port], rooms[0], self.seed)
        reader.last = str(len(traffic.acknowledged[rooms[0]]) - 1)
        self.addCleanup(reader.stop)
        reader.start()
        self.until(lambda: reader.wrong, "a reader is not told to load again")
        self.assertRegex(reader.wrong, "^resync")
        for room, count in before.items():
            kept = restored.number(f"SELECT event_count FROM rooms WHERE id = '{room}'")
            self.assertGreaterEqual(kept, count, "what was acknowledged before the dump is in it")
            again = self.ask(worker, "POST", f"rooms/{room}/events", message("again"), 201)
            self.assertEqual((again["index"], again["progress"]), (kept, "delivered"))


if __name__ == "__main__":
    main()
