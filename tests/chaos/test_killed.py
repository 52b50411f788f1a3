#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker among others: what it had begun is brought to its end by them.

import time

from cluster_case import PATIENCE, RECOVERY, ClusterCase, long_form, main, message
from database import ADVISORY, lease_key
from served_case import Client


class Killed(ClusterCase):
    # Under load one of three workers is killed in the middle of a delivery. Its death is proven, the delivery is made
    # again under the same id by another worker although nobody sends to that room, and nothing is lost or double.
    # Proves: D7, D1, D3, R1, R8, R18, L10
    def test_what_it_left_is_delivered(self):
        first, second, third = self.start_workers(3)
        rooms = self.make_rooms(12)
        held, = self.make_rooms(1, name="room-held", attempt_deadline_ms=30000)
        readers = [self.reader(room, seed=i) for i, room in enumerate(rooms[:4])]
        traffic = self.traffic(rooms, 24, hot=rooms[0]).start()
        traffic.wait_for(300, PATIENCE)

        path = self.bound[held]
        self.log.hold_up(path)
        sent = self.ask(first, "POST", f"rooms/{held}/events?wait=committed", message("held"), 201)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        killed_at = time.monotonic()
        first.kill()
        traffic.ports = [second.port, third.port]
        self.log.let_go(path)
        self.until_dead(first.incarnation)
        proven = time.monotonic() - killed_at
        self.assertTrue(self.log.wait_for_call(path, 2, RECOVERY), "it was not delivered again")
        again = time.monotonic() - killed_at
        self.note(f"kill -9: death proven after {proven:.2f} s, delivered again after {again:.2f} s")
        self.assertLess(again, RECOVERY)
        self.assertEqual(len(self.log.deliveries[held, sent["index"]]), 1)

        traffic.wait_for(300, PATIENCE)
        traffic.stop(PATIENCE)
        self.note(
            f"{traffic.count} messages, {traffic.repeats} sent again, longest wait {traffic.longest_wait()}"
        )
        self.assert_invariants(traffic.acknowledged)
        recovered = self.database.number("SELECT count(*) FROM framework_events WHERE type = 'delivery_recovered'")
        self.assertGreater(recovered, 0)
        for room, reader in zip(rooms, readers):
            latest = self.database.number(f"SELECT latest_index FROM rooms WHERE id = '{room}'")
            self.assertTrue(reader.wait_for(latest, PATIENCE), "a reader did not get all")
            self.assertIsNone(reader.wrong)
            self.assertEqual(reader.indexes, list(range(latest + 1)))

    # What all workers left is delivered by the one that starts next, without anybody sending anything.
    # Proves: D7, L10
    def test_all_are_killed(self):
        workers = self.start_workers(2)
        room, = self.make_rooms(1, attempt_deadline_ms=30000)
        path = self.bound[room]
        self.log.hold_up(path)
        acknowledged = {room: {}}
        for number in range(6):
            body = message(f"{number}", idempotency_key=f"k{number}")
            sent = self.ask(workers[number % 2], "POST", f"rooms/{room}/events?wait=committed", body, 201)
            acknowledged[room][f"k{number}"] = sent["index"]
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        for worker in workers:
            worker.kill()
            self.expected_dead.add(worker.incarnation)
        self.log.let_go(path)
        started = time.monotonic()
        self.make_worker().start()
        self.assertTrue(self.log.wait_for(lambda: self.log.order.get(room) == list(range(6)), RECOVERY))
        self.note(f"delivered {time.monotonic() - started:.2f} s after the start of a new worker")
        self.assert_invariants(acknowledged)

    # A killed worker that comes back at once is a new one: it serves, and finds what it left itself.
    # Proves: D7, O2
    @long_form
    def test_it_comes_back(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(6)
        traffic = self.traffic(rooms, 8).start()
        for worker in (one, other, one):
            traffic.wait_for(100, PATIENCE)
            worker.kill()
            self.expected_dead.add(worker.incarnation)
            worker.start()
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        for incarnation in self.expected_dead:
            self.until_dead(incarnation)
        self.assert_invariants(traffic.acknowledged)
        client = Client(one.port)
        self.addCleanup(client.close)
        self.assertEqual(client.ask("GET", "/readyz")[0], 200)

    # An event that kills whoever delivers it is given up after the third takeover, on record; what follows it in its
    # room and all other rooms are delivered.
    # Proves: D8, D7
    @long_form
    def test_poison(self):
        workers = self.start_workers(3)
        poisoned, healthy = self.make_rooms(2, attempt_deadline_ms=30000)
        organization = self.database.value(f"SELECT organization_id FROM rooms WHERE id = '{poisoned}'")
        key = lease_key("delivery", organization, poisoned)
        path = self.bound[poisoned]
        self.log.hold_up(path)
        self.ask(workers[0], "POST", f"rooms/{poisoned}/events?wait=committed", message("poison"), 201)
        killed, started = 0, time.monotonic()

        def is_given_up():
            return self.database.ask("SELECT reason FROM delivery_skips")

        def holder():
            names = self.database.ask(f"SELECT application_name FROM ({ADVISORY}) held WHERE granted AND key = {key}")
            return next((one for one in workers if names and names[0][0] == f"convene {one.incarnation}"), None)

        while not is_given_up():
            if self.log.called(path) > killed:
                worker = self.until(holder, "nobody holds the claim")
                worker.kill()
                killed += 1
                self.expected_dead.add(worker.incarnation)
                worker.start()
                body = message(f"beside {killed}")
                beside = self.ask(worker, "POST", f"rooms/{healthy}/events?wait=delivered", body, 201)
                self.assertEqual(beside["progress"], "delivered")
            self.assertLess(time.monotonic() - started, PATIENCE, f"{killed} were killed, and it is not given up")
            time.sleep(0.05)  # between two looks
        self.note(f"given up after {killed} deaths and {time.monotonic() - started:.1f} s")
        self.assertEqual(is_given_up(), [["poison"]])
        self.assertEqual(killed, 4)
        self.log.let_go(path)
        after = self.ask(workers[1], "POST", f"rooms/{poisoned}/events?wait=delivered", message("after"), 201)
        self.assertEqual((after["index"], after["progress"]), (1, "delivered"))
        self.assert_nobody_died()


if __name__ == "__main__":
    main()
