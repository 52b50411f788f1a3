#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Workers that stand still (SIGSTOP) and go on: nobody is taken for dead who is not, and nobody who was buried counts.

import time

from clients import BROKEN
from cluster_case import PATIENCE, ClusterCase, main, message
from database import ADVISORY
from worker import first_line_like


class Frozen(ClusterCase):
    # A worker that stands still for two seconds under load loses nothing, and is not taken for dead.
    # Proves: D9, L6, R1, R8
    def test_a_pause_is_no_death(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(8)
        traffic = self.traffic(rooms, 16, hot=rooms[0]).start()
        traffic.wait_for(200, PATIENCE)
        one.freeze()
        time.sleep(2)  # is what is tried here
        one.thaw()
        traffic.wait_for(200, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_nobody_died()
        self.assert_invariants(traffic.acknowledged)
        self.assertEqual(one.current_incarnation(), one.incarnation)

    def picture(self, *rooms: str) -> list:
        """All that the database has of the rooms."""
        names = ", ".join(f"'{room}'" for room in rooms)
        return [
            self.database.ask(f"SELECT t::text FROM {table} t WHERE {column} IN ({names}) ORDER BY 1")
            for table, column in (
                ("rooms", "id"), ("events", "room_id"), ("deliveries", "room_id"), ("room_cursors", "room_id"),
                ("outbound_queue", "room_id"), ("delivery_skips", "room_id"),
            )
        ]

    # A worker is frozen while it holds a room's lock, in a serial hook, and a claim, in a delivery; all its
    # connections are ended. Others prove its death and take over. Thawed, it changes nothing, says so, and serves as a
    # new worker.
    # Proves: L6, L10, D3, D7, R8, O2
    def test_it_is_buried(self):
        one, other = self.start_workers(2)
        delivering, locked = self.make_rooms(2, attempt_deadline_ms=30000)
        hook = {"url": self.log.url("/hook"), "mode": "serial", "deadline_ms": 2000}
        self.ask(one, "POST", f"rooms/{locked}/hooks", hook, 201)
        path = self.bound[delivering]
        self.log.hold_up(path)
        sent = self.ask(one, "POST", f"rooms/{delivering}/events?wait=committed", message("slow"), 201)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        self.log.hold_up("/hook")
        answers = []

        def send_to_the_locked():
            try:
                answers.append(self.ask_to_send(one, locked))
            except BROKEN as broken:
                answers.append(broken)

        sender = self.in_background(send_to_the_locked)
        self.assertTrue(self.log.wait_for_call("/hook", 1, PATIENCE))
        one.freeze()
        key = self.room_key(locked)
        holders = [row for row in self.advisory() if int(row[3]) == key and row[1] == "ExclusiveLock"]
        self.assertEqual([row[4] for row in holders], [f"convene {one.incarnation}"])

        self.database.end_sessions(f"application_name = 'convene {one.incarnation}'")
        self.note(f"buried after {self.until_dead(one.incarnation):.2f} s")
        self.log.let_go(path)
        self.log.let_go("/hook")
        self.assertTrue(self.log.wait_for_call(path, 2, PATIENCE), "its delivery was not taken over")
        status, answer = self.ask_to_send(other, locked)
        self.assertIn((status, answer["replayed"]), ((200, True), (201, False)), answer)
        acknowledged = {delivering: {}, locked: {"k": answer["index"]}}
        self.assert_invariants(acknowledged)

        before = self.picture(delivering, locked)
        one.thaw()
        thawed = time.monotonic()
        said = first_line_like(one.log, "worker_starts_anew", one.process, PATIENCE)
        self.assertIsNotNone(said, "it ended")
        self.until_ready(one)
        self.note(f"serves as a new worker {time.monotonic() - thawed:.2f} s after it was thawed")
        renewed = one.current_incarnation()
        self.assertNotEqual(renewed, one.incarnation)
        self.assertEqual(self.picture(delivering, locked), before, "what it did after its burial")
        sender.join(PATIENCE)
        self.assertEqual(len(answers), 1, "its caller got no answer")
        if isinstance(answers[0], tuple):
            self.assertIn(answers[0][0], (200, 201, 503), answers)
        self.assertEqual(len(self.log.deliveries[delivering, sent["index"]]), 1)

        for room in (delivering, locked):
            again = self.ask(one, "POST", f"rooms/{room}/events", message("again"), 201)
            self.assertEqual((again["index"], again["progress"]), (1, "delivered"))
        self.assert_invariants(acknowledged)

    def ask_to_send(self, worker, room: str):
        body = message("under the hook", idempotency_key="k")
        status, _, answer = worker.ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", body)
        return status, answer

    def advisory(self) -> list:
        return self.database.ask(f"{ADVISORY} AND l.granted")


if __name__ == "__main__":
    main()
