#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Abort and retry: a client leaves its run and asks again at once, on the other worker, a great many times.

import time

import session_invariants
from cluster_case import SECONDS, main
from session_case import SessionCase
from session_invariants import Witness

ROUNDS = 1000 if SECONDS else 60
AT_ONCE = 0.1  # seconds from leaving to asking again


class Retries(SessionCase):
    pace = "2ms"
    script = """when says "go on"
    think Let me see.
    say I think about it, and about it, and about it
    wait 100s
otherwise
    say Done.
"""

    # Each run is left somewhere between its first frame and its text, and the next one is asked for within a tenth of a
    # second. It is never refused, each driver has a greater epoch than the one before, and nothing of a run is stored
    # after the first of the next.
    # Proves: A2, A3, A7, L1
    def test_are_never_refused(self):
        room = self.make_session("talk")
        witness = Witness(self.database)
        longest, left_at, late, unanswered = 0.0, None, 0, []
        for number in range(ROUNDS):
            asked = time.monotonic()
            late += left_at is not None and asked - left_at > AT_ONCE
            question = (f"q-{number}", f"go on {number}")
            stream = self.start_run(
                self.started[number % 2], room, question[1], "cancel", question[0], unanswered=unanswered
            )
            self.assertEqual(stream.status, 200, f"round {number}")
            longest = max(longest, time.monotonic() - asked)
            seen = [event["type"] for _, (_, event) in zip(range(1 + self.draw.randrange(8)), stream.frames())]
            stream.close()
            left_at = time.monotonic()
            unanswered = [] if "TEXT_MESSAGE_START" in seen else [*unanswered, question]
        last = self.start_run(self.second, room, "enough", "cancel", unanswered=unanswered)
        self.assertEqual(last.status, 200)
        self.assertEqual(list(last.frames())[-1][1]["outcome"], {"type": "success"})
        self.note(f"{ROUNDS} rounds, the longest wait for an answer {longest:.2f} s, {late} asked late")
        self.until_turns_end()
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])
        runs = self.database.ask("SELECT epoch, status FROM runs ORDER BY epoch")
        self.assertEqual([int(epoch) for epoch, _ in runs], list(range(1, ROUNDS + 2)))
        self.assertEqual({status for _, status in runs[:-1]}, {"4"})  # cancelled
        self.assertEqual(self.database.number("SELECT count(*) FROM events WHERE idempotency_key LIKE 'agui:%'"), ROUNDS + 1)


if __name__ == "__main__":
    main()
