#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A standby takes over from a primary that is gone: what is kept, and what may be lost.

import time

import invariants
from cluster_case import PATIENCE, ClusterCase, long_form, main
from database import Standby
from tcp_gate import Gate


class FailOver(ClusterCase):
    def setUp(self):
        super().setUp()
        self.standby = Standby(self.database)
        self.addCleanup(self.standby.remove)
        # The one address that workers know.
        self.gate = Gate(self.database.port)
        self.addCleanup(self.gate.close)

    def fail_over_under_load(self):
        """Answers the traffic, with all workers on the new primary, which is `database` from then on."""
        workers = [self.make_worker(address=self.database.url(self.gate.port)).start() for _ in range(2)]
        rooms = self.make_rooms(6)
        traffic = self.traffic(rooms, 12, hot=rooms[0]).start()
        traffic.wait_for(200, PATIENCE)
        primary = self.database
        self.gate.refuse()
        self.gate.cut()
        primary.stop("immediate")
        self.standby.promote()
        self.database = self.standby
        self.gate.target = self.standby.port
        self.gate.admit()
        admitted = time.monotonic()
        traffic.wait_for(1, PATIENCE)
        self.note(f"the next message was acknowledged {time.monotonic() - admitted:.2f} s after the fail-over")
        traffic.wait_for(200, PATIENCE)
        traffic.stop(PATIENCE)
        for worker in workers:
            self.until_ready(worker)
            self.assertEqual(worker.current_incarnation(), worker.incarnation)
        return traffic

    # Proves: O4, L10, R1, R8
    def test_a_synchronous_standby_has_everything(self):
        self.database.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.database.ask("SELECT pg_reload_conf()")
        self.until(
            lambda: self.database.ask("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"),
            "no standby follows",
        )
        traffic = self.fail_over_under_load()
        self.assert_invariants(traffic.acknowledged)

    # Rooms are whole and flow on; only what was acknowledged in the last moments may be missing.
    # Proves: O4, R1
    @long_form
    def test_an_asynchronous_standby_may_lack_the_last(self):
        self.until(lambda: self.database.ask("SELECT 1 FROM pg_stat_replication"), "no standby follows")
        traffic = self.fail_over_under_load()
        self.until(
            lambda: not invariants.behind(self.database) and not invariants.unfinished(self.database),
            "deliveries do not come to an end",
        )
        self.assertEqual(invariants.dense(self.database) + invariants.skips(self.database), [])
        stored = {tuple(row) for row in self.database.ask("SELECT room_id, idempotency_key FROM events")}
        lost = [key for room, keys in traffic.acknowledged.items() for key in keys if (room, key) not in stored]
        self.note(f"{len(lost)} of {traffic.count} acknowledged messages are not on the new primary")
        self.assert_nobody_died()


if __name__ == "__main__":
    main()
