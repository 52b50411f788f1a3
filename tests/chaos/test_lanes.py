#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Lanes across workers: slow receivers are waited for, waiters cost no connections, and a drain hands over.

import threading
import time

from clients import is_to_be_repeated
from cluster_case import PATIENCE, ClusterCase, long_form, main, message
from database import ADVISORY, HeldLock
from served_case import Client

GAP = 1.0
WAITERS = 500
BUSY_ROOMS = 40


class Lanes(ClusterCase):
    settings = {"DELIVERY_RECOVERY": "skip", "DELIVERY_GAP_TIMEOUT": "1"}

    # A receiver that takes six times as long as a hole is waited for, and many slow rooms at once, while another
    # worker sends into the same rooms: nobody who lives is skipped, and a quick room beside them is served.
    # Proves: D9, D8, D1, D14
    def test_slow_is_not_dead(self):
        one, other = self.start_workers(2)
        slow, = self.make_rooms(1, name="room-slow", attempt_deadline_ms=30000)
        busy = self.make_rooms(BUSY_ROOMS, name="room-busy", attempt_deadline_ms=30000)
        quick, = self.make_rooms(1, name="room-quick")
        self.log.delay[self.bound[slow]] = 6 * GAP
        for room in busy:
            self.log.delay[self.bound[room]] = 2 * GAP
        acknowledged = {}
        started = time.monotonic()
        for worker in (one, other):
            for room in [slow, *busy]:
                body = message(worker.name, idempotency_key=worker.name)
                sent = self.ask(worker, "POST", f"rooms/{room}/events?wait=committed", body, 201)
                acknowledged.setdefault(room, {})[worker.name] = sent["index"]
        longest, connections = 0.0, {one: 0, other: 0}
        while any(len(self.log.received(room)) < 2 for room in [slow, *busy]):
            asked = time.monotonic()
            self.ask(one, "POST", f"rooms/{quick}/events?wait=delivered", message("quick"), 201)
            longest = max(longest, time.monotonic() - asked)
            for worker in connections:
                now = len(self.database.sessions_of(worker.incarnation))
                connections[worker] = max(connections[worker], now)
            self.assertLess(time.monotonic() - started, PATIENCE)
        self.note(
            f"{BUSY_ROOMS} rooms of {2 * GAP:.0f} s and one of {6 * GAP:.0f} s, twice:"
            f" {time.monotonic() - started:.1f} s; the quick room waited {longest:.2f} s at most;"
            f" connections {sorted(connections.values())}"
        )
        # 8 for commits, 4 for operations, 4 for leases and news.
        self.assertLessEqual(max(connections.values()), 16)
        self.assert_invariants(acknowledged)

    # While somebody else holds a room's lock, hundreds of requests wait for it on two workers: on one connection of
    # each. All are stored when it is free.
    # Proves: L3, L4, R1, R8
    def test_waiters_cost_one_connection(self):
        workers = self.start_workers(2)
        room, = self.make_rooms(1)
        self.ask(workers[0], "POST", f"rooms/{room}/events", message("first"), 201)
        held = HeldLock(self.database, self.room_key(room))
        acknowledged, failures, lock = {room: {}}, [], threading.Lock()

        def send(number: int):
            client, key = Client(workers[number % 2].port), f"k{number}"
            end = time.monotonic() + PATIENCE
            status, answer = 503, {}
            while is_to_be_repeated(status, answer) and time.monotonic() < end:
                path = f"/api/v1/rooms/{room}/events?wait=committed"
                status, _, answer = client.ask("POST", path, message(key, idempotency_key=key))
            client.close()
            with lock:
                if status in (200, 201):
                    acknowledged[room][key] = answer["index"]
                else:
                    failures.append((status, answer))

        senders = [self.in_background(send, number) for number in range(WAITERS)]

        def all_wait():
            for worker in workers:
                figures = worker.ask("GET", "/metrics")[2].decode().splitlines()
                asked = sum(line.startswith("convene_connections_open ") and float(line.split()[1]) > WAITERS / 2 - 5
                            for line in figures)
                if not asked:
                    return False
            return True

        self.until(all_wait, "the requests did not reach the workers")
        most = {worker.incarnation: 0 for worker in workers}
        for _ in range(20):
            for incarnation in most:
                waiting = self.database.number(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'advisory'"
                    f" AND application_name = 'convene {incarnation}'"
                )
                most[incarnation] = max(most[incarnation], waiting)
        sessions = [len(self.database.sessions_of(incarnation)) for incarnation in most]
        self.note(f"{WAITERS} requests wait: {list(most.values())} connections in waits, {sessions} in all")
        self.assertEqual(max(most.values()), 1)
        self.assertLessEqual(max(sessions), 16)
        # Another room is served meanwhile.
        free, = self.make_rooms(1, name="room-free")
        self.assertEqual(workers[1].ask("POST", f"/api/v1/rooms/{free}/events", message("free"))[0], 201)
        held.release()
        for sender in senders:
            sender.join(PATIENCE)
        self.assertEqual(failures, [])
        self.assertEqual(len(acknowledged[room]), WAITERS)
        self.assert_invariants(acknowledged)


class FullTable(ClusterCase):
    settings = {"LEASE_MAX_PER_WORKER": "100"}

    # More rooms deliver at once than a worker may hold claims: the others wait for their turn, and none is lost.
    # Proves: D9, L4
    @long_form
    def test_more_rooms_than_claims(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(250, attempt_deadline_ms=30000)
        for room in rooms:
            self.log.delay[self.bound[room]] = 2.0
        acknowledged = {}
        for worker in (one, other):
            for room in rooms:
                body = message(worker.name, idempotency_key=worker.name)
                sent = self.ask(worker, "POST", f"rooms/{room}/events?wait=committed", body, 201)
                acknowledged.setdefault(room, {})[worker.name] = sent["index"]
        held = self.database.number(
            f"SELECT max(n) FROM (SELECT count(*) AS n FROM ({ADVISORY} AND l.mode = 'ExclusiveLock') held"
            " GROUP BY application_name) counted"
        )
        self.note(f"{held} locks were held by one worker")
        self.assert_invariants(acknowledged)


class HandingOver(ClusterCase):
    # Told to stop in the middle of its work, a worker says good-bye to its streams and ends with 0; what it can't
    # finish others deliver at once, and nobody has to prove a death.
    # Proves: D15, O3, R18
    def test_a_drain_hands_over(self):
        one, other = self.start_workers(2)
        rooms = self.make_rooms(8)
        held, = self.make_rooms(1, name="room-held", attempt_deadline_ms=30000)
        reader = self.reader(rooms[0], ports=[one.port])
        traffic = self.traffic(rooms, 16).start()
        traffic.wait_for(100, PATIENCE)
        path = self.bound[held]
        self.log.hold_up(path)
        acknowledged = {held: {}}
        for number in range(3):
            body = message(f"{number}", idempotency_key=f"k{number}")
            sent = self.ask(one, "POST", f"rooms/{held}/events?wait=committed", body, 201)
            acknowledged[held][f"k{number}"] = sent["index"]
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        started = time.monotonic()
        one.ask_to_stop()
        traffic.ports, reader.ports = [other.port], [other.port]
        self.assertEqual(one.process.wait(PATIENCE), 0)
        ended = time.monotonic()
        self.assertEqual(self.database.states()[one.incarnation], 3)
        self.expected_dead.add(one.incarnation)
        self.log.let_go(path)
        self.assertTrue(self.log.wait_for(lambda: self.log.order.get(held) == [0, 1, 2], PATIENCE))
        self.note(
            f"SIGTERM: ended after {ended - started:.2f} s;"
            f" what was left was delivered {time.monotonic() - ended:.2f} s later"
        )
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_invariants(traffic.acknowledged | acknowledged)
        self.assertNotIn("worker_dead", other.logged())
        latest = self.database.number(f"SELECT latest_index FROM rooms WHERE id = '{rooms[0]}'")
        self.assertTrue(reader.wait_for(latest, PATIENCE))
        self.assertEqual(reader.indexes, list(range(latest + 1)))
        self.assertGreater(reader.breaks, 0)


if __name__ == "__main__":
    main()
