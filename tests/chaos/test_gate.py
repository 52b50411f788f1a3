#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A bad network between one worker and the database: late, silent in one direction, silent in both, cut, refused.

import time

from cluster_case import PATIENCE, ClusterCase, long_form, main, message
from tcp_gate import TO_CLIENT, TO_SERVER, Gate
from worker import first_line_like

# Leases of a worker that hears nothing are lost to it after 8 s.
GIVEN_UP = 10.0


class BadNetwork(ClusterCase):
    def setUp(self):
        super().setUp()
        self.gate = Gate(self.database.port)
        self.addCleanup(self.gate.close)

    def start_pair(self):
        """One worker behind the gate, and one beside it."""
        behind = self.make_worker(address=self.database.url(self.gate.port))
        return behind.start(), self.make_worker().start()

    # Late bytes, and some seconds without any in one direction or the other, cost time and nothing else.
    # Proves: L6, L10, D9, R8
    @long_form
    def test_it_is_late(self):
        behind, beside = self.start_pair()
        rooms = self.make_rooms(6)
        traffic = self.traffic(rooms, 12, hot=rooms[0]).start()
        traffic.wait_for(100, PATIENCE)
        self.gate.delay = 0.02
        traffic.wait_for(100, PATIENCE)
        self.gate.delay = 0.0
        for direction in (TO_CLIENT, TO_SERVER):
            self.gate.freeze(direction)
            time.sleep(3)  # is what is tried here
            self.gate.thaw()
            traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_nobody_died()
        self.assert_invariants(traffic.acknowledged)
        self.assertEqual(behind.current_incarnation(), behind.incarnation)

    # A worker that is cut off gives up what it holds, but is not dead while its connections are there for the
    # database. When they are gone, others take over; when it is let in again, it starts anew and serves.
    # Proves: L6, L10, D3, D7, D9, O2, O4
    def test_it_is_cut_off(self):
        behind, beside = self.start_pair()
        room, = self.make_rooms(1, attempt_deadline_ms=30000)
        path = self.bound[room]
        self.log.hold_up(path)
        body = message("held", idempotency_key="k")
        sent = self.ask(behind, "POST", f"rooms/{room}/events?wait=committed", body, 201)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        self.gate.refuse()
        self.gate.freeze()
        time.sleep(GIVEN_UP)  # is what is tried here
        self.assert_nobody_died()
        self.assertEqual(self.log.called(path), 1)
        self.assertEqual(behind.ask("GET", "/readyz")[0], 503)
        self.assertEqual(behind.ask("GET", "/livez")[0], 200)

        self.gate.cut()
        self.note(f"buried {self.until_dead(behind.incarnation):.2f} s after its connections had gone")
        self.log.let_go(path)
        self.assertTrue(self.log.wait_for_call(path, 2, PATIENCE), "its delivery was not taken over")
        self.assertEqual(len(self.log.deliveries[room, sent["index"]]), 1)
        self.assert_the_other_serves(beside, room, sent)

        self.gate.thaw()
        self.gate.admit()
        admitted = time.monotonic()
        self.assertIsNotNone(first_line_like(behind.log, "worker_starts_anew", behind.process, PATIENCE), "it ended")
        self.until_ready(behind)
        self.note(f"serves as a new worker {time.monotonic() - admitted:.2f} s after it was let in")
        again = self.ask(behind, "POST", f"rooms/{room}/events", message("again"), 201)
        self.assertEqual((again["index"], again["progress"]), (1, "delivered"))
        self.assert_invariants({room: {"k": sent["index"]}})

    def assert_the_other_serves(self, beside, room: str, sent: dict):
        """The one that was not cut off serves the room meanwhile."""
        repeated = message("held", idempotency_key="k")
        answer = self.ask(beside, "POST", f"rooms/{room}/events?wait=delivered", repeated)
        self.assertEqual((answer["index"], answer["replayed"], answer["progress"]), (sent["index"], True, "delivered"))


if __name__ == "__main__":
    main()
