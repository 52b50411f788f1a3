#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Workers that meet: at one sender, one key, one timer, one room that is watched elsewhere.

import json
import statistics
import threading
import time

from cluster_case import PATIENCE, ClusterCase, main, message
from database import ADVISORY, lease_key
from served_case import Client
from webhook_receiver import signed_headers

ROUNDS = 40


class Together(ClusterCase):
    def at_once(self, *calls) -> list:
        """What the calls answer, which start together."""
        gate, answers = threading.Barrier(len(calls)), [None] * len(calls)

        def run(number: int):
            gate.wait(PATIENCE)
            answers[number] = calls[number]()

        threads = [self.in_background(run, number) for number in range(len(calls))]
        for thread in threads:
            thread.join(PATIENCE)
        return answers

    # The first message of a sender comes in at two workers at once: it makes one room, in which both messages are.
    # Proves: R6, R3, R1
    def test_one_sender_has_one_room(self):
        workers = self.start_workers(2)
        wanted = {"type": "webhook", "url": self.log.url("/crm"), "name": "crm"}
        made = self.ask(workers[0], "POST", "channels", wanted, 201)
        channel, secret = made["channel"]["id"], made["secret"]
        # Where two rooms have the channel, neither is guessed: who is not known gets a new one.
        for name in ("one", "two"):
            self.ask(workers[0], "POST", "rooms", {"external_id": name, "channels": [{"channel_id": channel}]}, 201)

        def bring(worker, sender: str):
            data = json.dumps({"sender": sender, "text": worker.name}).encode()
            headers = signed_headers(secret, f"{sender}-{worker.name}", data) | {"Authorization": ""}
            status, _, answer = worker.ask("POST", f"/api/v1/webhooks/webhook/{channel}", data, headers)
            return status, answer

        for number in range(ROUNDS):
            sender = f"sender-{number}"
            both = self.at_once(*(lambda w=worker: bring(w, sender) for worker in workers))
            self.assertEqual([status for status, _ in both], [201, 201], both)
            self.assertEqual(len({answer["room_id"] for _, answer in both}), 1, both)
            self.assertEqual(sorted(answer["index"] for _, answer in both), [0, 1])
        self.assertEqual(self.database.number("SELECT count(*) FROM rooms"), ROUNDS + 2)
        self.assert_invariants({})

    # One message under one key is sent to two workers at once, and to both again: one event, which all are told.
    # Proves: R8, R1
    def test_one_key_is_one_event(self):
        workers = self.start_workers(2)
        room, = self.make_rooms(1)
        acknowledged, replays = {room: {}}, 0

        def send(worker, key: str):
            body = message("the same", idempotency_key=key)
            status, _, answer = worker.ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", body)
            return status, answer

        for number in range(ROUNDS):
            key = f"k{number}"
            both = self.at_once(*(lambda w=worker: send(w, key) for worker in workers))
            self.assertEqual(sorted(status for status, _ in both), [200, 201], both)
            self.assertEqual({answer["index"] for _, answer in both}, {number})
            replays += sum(answer["replayed"] for _, answer in both)
            acknowledged[room][key] = number
        self.assertEqual(replays, ROUNDS)
        self.assert_invariants(acknowledged)

    # What is committed on one worker is seen on the other, in order and whole, soon.
    # Proves: V6, R18
    def test_a_tail_elsewhere(self):
        one, other = self.start_workers(2)
        room, = self.make_rooms(1)
        reader = self.reader(room, ports=[other.port])
        client = Client(one.port)
        self.addCleanup(client.close)
        sent, acknowledged = [], {room: {}}
        for number in range(ROUNDS):
            sent.append(time.monotonic())
            body = message(f"{number}", idempotency_key=f"k{number}")
            status, _, answer = client.ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", body)
            self.assertEqual(status, 201, answer)
            acknowledged[room][f"k{number}"] = answer["index"]
            self.assertTrue(reader.wait_for(number, PATIENCE), f"{number} is not seen elsewhere")
        self.assertEqual(reader.indexes, list(range(ROUNDS)))
        late = sorted(1000 * (seen - at) for at, seen in zip(sent, reader.times))
        self.note(f"from request to the other worker's reader: median {statistics.median(late):.1f} ms, p95"
                  f" {late[int(ROUNDS * 0.95)]:.1f} ms, longest {late[-1]:.1f} ms")
        self.assert_invariants(acknowledged)

    # The news between workers is lost for a while; what was missed is read again, and nothing is missing.
    # Proves: V6, R18
    def test_news_that_was_lost(self):
        one, other = self.start_workers(2)
        room, = self.make_rooms(1)
        reader = self.reader(room, ports=[other.port])
        for number in range(ROUNDS):
            if number % 8 == 4:
                self.database.end_sessions("query LIKE '%convene_news%'")
            self.ask(one, "POST", f"rooms/{room}/events?wait=committed", message(f"{number}"), 201)
        self.assertTrue(reader.wait_for(ROUNDS - 1, PATIENCE))
        self.assertEqual(reader.indexes, list(range(ROUNDS)))
        self.assert_nobody_died()
        self.assert_invariants({})

    # Timers run on one worker; when it is killed another one takes the duty. Rooms pause and close on time.
    # Proves: R5, L1
    def test_timers_are_one_workers_duty(self):
        workers = self.start_workers(3)
        key = lease_key("leader", "", "room-timers")

        def leader():
            holders = self.database.ask(f"SELECT application_name FROM ({ADVISORY}) held WHERE granted AND key = {key}")
            self.assertLessEqual(len(holders), 1)
            names = {f"convene {worker.incarnation}": worker for worker in workers}
            return names.get(holders[0][0]) if holders else None

        def make(name: str) -> str:
            body = {"external_id": name, "timers": {"inactive_after_seconds": 1, "closed_after_seconds": 1}}
            return self.ask(next(w for w in workers if w.is_running()), "POST", "rooms", body, 201)["id"]

        first = self.until(leader, "nobody has the duty")
        rooms = [make(f"first-{number}") for number in range(10)]
        self.until(lambda: self.closed(rooms), "rooms are not closed")
        first.kill()
        self.expected_dead.add(first.incarnation)
        second = self.until(leader, "nobody takes the duty over")
        self.assertIsNot(first, second)
        rooms = [make(f"second-{number}") for number in range(10)]
        self.until(lambda: self.closed(rooms), "rooms are not closed")
        self.until_dead(first.incarnation)
        self.assert_invariants({})

    def closed(self, rooms: list[str]) -> bool:
        names = ", ".join(f"'{room}'" for room in rooms)
        return self.database.number(f"SELECT count(*) FROM rooms WHERE status = 3 AND id IN ({names})") == len(rooms)


if __name__ == "__main__":
    main()
