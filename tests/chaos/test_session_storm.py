#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Many sessions on two workers that are killed and stand still at random: each turn has its effect once, and each stream
# says what is stored.

import random
import threading
import time

import session_invariants
from clients import BROKEN
from cluster_case import PATIENCE, SECONDS, main, message
from session_case import ENDS, SessionCase
from session_invariants import Witness

SESSIONS, LENGTH, BETWEEN = (200, min(SECONDS, 180.0), 5.0) if SECONDS else (24, 25.0, 2.5)
PAUSE = SESSIONS / 40  # seconds between two turns of a session: so many that two workers keep up
LONGEST_TURN = 120.0


class SessionStorm(SessionCase):
    pace = "10ms"
    tools = ("add_task",)
    settings = {"SESSION_RUNNER_CONCURRENCY": "16"}
    script = """otherwise
    think I look what to do.
    call add_task {"title": "$user"}
    say It is noted; there are some words to be said about it, one after the other.
"""

    # Half of the turns are runs whose reader goes on wherever it can, half are messages that are sent in the ordinary way.
    # A message is sent again, under its key, until it is taken.
    # Proves: A2, A3, A4, A7, A9, L7, L10, N3, N4
    def test_the_invariants_hold(self):
        witness = Witness(self.database)
        rooms = [self.make_session(f"s{number}") for number in range(SESSIONS)]
        self.stopping, self.wrong, self.turns = threading.Event(), [], 0
        people = [
            self.in_background(self.talk, room, random.Random(f"{self.seed}:{room_number}"), room_number)
            for room_number, room in enumerate(rooms)
        ]
        end = time.monotonic() + LENGTH
        while time.monotonic() + BETWEEN < end and not self.wrong:
            until = time.monotonic() + BETWEEN
            worker, blow = self.draw.choice(self.started), self.draw.choice((self.kill, self.freeze))
            blow(worker)
            self.stopping.wait(max(0.0, until - time.monotonic()))
            self.note(f"{blow.__name__:<6} {worker.name}: {self.turns} turns so far")
        self.stopping.set()
        for person in people:
            person.join(LONGEST_TURN)
            self.assertFalse(person.is_alive(), "somebody waits in vain")
        self.assertEqual(self.wrong, [])
        self.until_turns_end(LONGEST_TURN)
        self.assertEqual(
            session_invariants.all_of(self.database)
            + session_invariants.effects(self.database)
            + witness.stragglers(),
            [],
        )
        taken_over = self.database.number("SELECT count(*) FROM runs WHERE epoch > 1 AND turn_id IN"
                                          " (SELECT id FROM turns WHERE attempts > 1)")
        unknown = self.database.number("SELECT count(*) FROM tool_intents WHERE state = 4")
        self.note(f"{self.turns} turns, {taken_over} taken over, {unknown} calls of which nobody knows")
        self.assert_read_alike(rooms)
        self.assert_nobody_died()

    def talk(self, room: str, draw: random.Random, number: int):
        """One person in one session, a turn after the other."""
        try:
            turn = 0
            while not self.stopping.is_set():
                turn += 1
                text = f"s{number}-{turn}"
                if draw.random() < 0.5:
                    self.send(room, text, draw)
                else:
                    self.run_to_its_end(room, text, draw)
                self.turns += 1
                self.stopping.wait(PAUSE)
        except AssertionError as failed:
            self.wrong.append(str(failed))

    def send(self, room: str, text: str, draw: random.Random):
        """Once it is delivered it is a turn; then that has its end."""
        self.persist(draw, lambda worker: self.is_delivered(worker, room, text))
        self.persist(draw, lambda worker: self.is_idle(worker, room))

    def is_delivered(self, worker, room: str, text: str) -> bool:
        path = f"/api/v1/rooms/{room}/events?wait=delivered"
        status, _, sent = worker.ask("POST", path, message(text, idempotency_key=text))
        return status in (200, 201) and sent["progress"] == "delivered"

    def is_idle(self, worker, room: str) -> bool:
        status, _, session = worker.ask("GET", f"/api/v1/rooms/{room}/session")
        is_idle = status == 200 and session["status"] == "idle"
        if not is_idle:
            time.sleep(0.25)  # between two looks
        return is_idle

    def run_to_its_end(self, room: str, text: str, draw: random.Random):
        """Asks until the run is taken, and reads it to its end, wherever it can be read."""
        place = {"run": "", "last": None}

        def go_on(worker) -> bool:
            if not place["run"]:
                stream = self.start_run(worker, room, text, key=text)
                if stream.status == 409:
                    # The one that was asked for first, and is being taken over.
                    place["run"] = stream.problem().get("run_id", "")
                    return False
            else:
                stream = self.read_run(worker, room, place["last"], place["run"])
                if stream.status == 204:
                    return True
            if stream.status != 200:
                return False
            for name, event in stream.frames():
                place["run"], place["last"] = name.rpartition("-")[0], name
                if event["type"] in ENDS:
                    stream.close()
                    return True
            return False

        self.persist(draw, go_on)

    def persist(self, draw: random.Random, attempt):
        end = time.monotonic() + LONGEST_TURN
        while time.monotonic() < end:
            try:
                if attempt(draw.choice(self.started)):
                    return
            except BROKEN:
                pass  # nobody listens at a port whose worker was killed
            time.sleep(0.05)  # between two attempts
        raise AssertionError("a turn does not come to its end")

    def assert_read_alike(self, rooms: list[str]):
        """The last run of each session, read from its start on both workers, is what is stored of it."""
        stored = session_invariants.frames_by_run(self.database)
        for room in rooms:
            run = self.database.value(f"SELECT run_id FROM sessions WHERE room_id = '{room}'")
            for worker in self.started:
                stream = self.read_run(worker, room, run=run)
                frames = [(int(name.rpartition("-")[2]), event) for name, event in stream.frames()]
                stream.close()
                self.assertEqual(frames, stored[run], f"{run} on {worker.name}")

    def kill(self, worker):
        worker.kill()
        self.expected_dead.add(worker.incarnation)
        worker.start()

    def freeze(self, worker):
        worker.freeze()
        time.sleep(self.draw.uniform(0.2, 2.0))  # is what is tried here
        worker.thaw()


if __name__ == "__main__":
    main()
