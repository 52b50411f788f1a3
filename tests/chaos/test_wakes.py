#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Wakes over workers: what is promised for later is done by whoever lives then, once.

import datetime

import session_invariants
from cluster_case import PATIENCE, SECONDS, main
from session_case import SessionCase
from session_invariants import Witness

ROOMS = 100 if SECONDS else 12
WAKE = 4  # a turn's kind
DONE = 3  # its status


class Wakes(SessionCase):
    pace = "1ms"
    tools = ("wake_me",)
    script = """when says "remind me"
    call wake_me {"in_seconds": 3, "note": "say it"}
    say I will.
when says "Your note: say it"
    say Here I am.
otherwise
    say You said: $user
"""

    def wakes_done(self) -> int:
        return self.database.number(f"SELECT count(*) FROM turns WHERE kind = {WAKE} AND status = {DONE}")

    # An agent has itself woken in many rooms, and the worker that it did so on is killed before, or while, the time comes.
    # Proves: N1, N3
    def test_are_run_by_whoever_lives(self):
        witness = Witness(self.database)
        rooms = [self.make_session(f"talk-{number}") for number in range(ROOMS)]
        for room in rooms:
            frames = list(self.start_run(self.first, room, "remind me").frames())
            self.assertEqual(frames[-1][1]["type"], "RUN_FINISHED")
        self.first.kill()
        self.until(lambda: self.wakes_done() == ROOMS, "not all are woken", 4 * PATIENCE, pause=0.1)
        for room in rooms:
            said = self.texts(self.second, room)
            self.assertEqual(said[:2] + said[3:], ["remind me", "I will.", "Here I am."])
            self.assertIn("Your note: say it", said[2])
        early = self.database.number(
            f"SELECT count(*) FROM turns t JOIN runs r ON r.id = t.run_id WHERE t.kind = {WAKE} AND r.started_at < t.not_before"
        )
        self.assertEqual(early, 0)
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])

    # What somebody says for later on one worker is shown by another one, and taken back there.
    # Proves: N1
    def test_are_set_shown_and_taken_back_on_any(self):
        room = self.make_session("talk")
        wakes = f"rooms/{room}/agent/wakes"
        tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
        later = self.ask(self.first, "POST", wakes, {"at": tomorrow.isoformat(), "text": "Good morning"}, 201)
        soon = self.ask(self.first, "POST", wakes, {"in_seconds": 2, "text": "hello"}, 201)
        shown = self.ask(self.second, "GET", wakes)["wakes"]
        self.assertEqual([one["id"] for one in shown], [soon["id"], later["id"]])
        self.assertEqual(shown[1]["text"], "Good morning")
        self.ask(self.second, "DELETE", f"{wakes}/{later['id']}", None, 204)
        self.until(lambda: "You said: hello" in self.texts(self.second, room), "it is not said")
        self.assertEqual(self.ask(self.first, "GET", wakes)["wakes"], [])
        begun = self.ask(self.second, "DELETE", f"{wakes}/{soon['id']}", None, 409)
        self.assertEqual(begun["code"], "WAKE_BEGUN")
        self.assertEqual(self.ask(self.second, "GET", f"rooms/{room}/session")["status"], "idle")


if __name__ == "__main__":
    main()
