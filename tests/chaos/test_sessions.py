#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Agent sessions over workers: one driver at a time, streams that are read anywhere, and runs that go on when their worker
# is killed, stopped, frozen, or loses its lease.

import threading
import time

import session_invariants
from cluster_case import PATIENCE, RECOVERY, SECONDS, main
from session_case import SessionCase
from session_invariants import Witness

# A cancellation reaches the driver on another worker in 1 s; tried with three times that.
CANCELLED = 3.0
# A worker that stands still for longer than its leases are taken for held (8 s); the long form stands for half a minute.
STANDING_STILL = 30.0 if SECONDS else 10.0
ROUNDS = 5 if SECONDS else 1


class Sessions(SessionCase):
    script = """when says "slow"
    say One moment, I have to look.
    wait 2s
    say Here it is.
when says "for ever"
    say I will think about it
    wait 100s
when says "some time"
    say This takes
    wait 3s
    say some time.
otherwise
    say You said: $user
"""

    def setUp(self):
        super().setUp()
        self.room = self.make_session("talk")

    def run_on(self, worker, text: str, policy: str = "detach"):
        return self.start_run(worker, self.room, text, policy)

    def read_on(self, worker, after: str | None = None):
        return self.read_run(worker, self.room, after)

    # While one worker drives, the other refuses after five seconds, before any header of a stream, and shows the same
    # frames; what it is told to cancel ends on the first.
    # Proves: A1, A2, A3, A7, L1
    def test_one_driver_in_the_deployment(self):
        driving = self.run_on(self.first, "for ever")
        self.until_text(driving)
        started = time.monotonic()
        refused = self.run_on(self.second, "hello")
        waited = time.monotonic() - started
        self.assertEqual(refused.status, 409)
        self.assertEqual(refused.problem()["code"], "SESSION_RUN_IN_PROGRESS")
        self.assertTrue(5 <= waited < 15, waited)
        reading = self.read_on(self.second)
        frames = self.until_text(reading)
        asked = time.monotonic()
        self.ask(self.second, "POST", f"rooms/{self.room}/agent/cancel", {}, 202)
        frames += list(reading.frames())
        took = time.monotonic() - asked
        self.note(f"cancelled through the other worker after {took:.2f} s")
        self.assertLess(took, CANCELLED)
        self.assertEqual(frames[-1][1]["outcome"], {"type": "cancelled"})
        self.assert_whole(frames, self.second, self.room)

    # Both workers are asked at the same instant: one answers with a stream, the other one refuses after five seconds,
    # with a problem and no header of a stream.
    # Proves: A1, A2, L1
    def test_two_ask_at_once(self):
        for _ in range(ROUNDS):
            together, answers = threading.Barrier(2), []

            def ask_on(worker):
                together.wait(PATIENCE)
                started = time.monotonic()
                stream = self.run_on(worker, "for ever")
                answers.append((stream.status, time.monotonic() - started, stream))

            threads = [self.in_background(ask_on, worker) for worker in (self.first, self.second)]
            for thread in threads:
                thread.join(PATIENCE)
            (won, _, stream), (lost, waited, refused) = sorted(answers, key=lambda one: one[0])
            self.assertEqual((won, lost), (200, 409))
            self.assertTrue(5 <= waited < 15, waited)
            self.assertIn("event-stream", stream.answer.getheader("content-type"))
            self.assertIn("problem+json", refused.answer.getheader("content-type"))
            self.assertEqual(refused.problem()["code"], "SESSION_RUN_IN_PROGRESS")
            self.ask(self.second, "POST", f"rooms/{self.room}/agent/cancel", {}, 202)
            self.assertEqual(list(stream.frames())[-1][1]["outcome"], {"type": "cancelled"})
        self.assertEqual(session_invariants.all_of(self.database), [])

    # kill -9 in the middle of a message: the other worker goes on, in the same stream.
    # Proves: A7, L10, N3
    def test_a_killed_worker(self):
        seen = self.until_text(self.run_on(self.first, "slow"))
        self.first.kill()
        killed = time.monotonic()
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.note(f"the run has ended {time.monotonic() - killed:.2f} s after the kill")
        self.assert_whole(seen, self.second, self.room)
        self.expected_dead.add(self.first.incarnation)
        self.assertEqual(self.database.number("SELECT count(*) FROM turns WHERE status = 2"), 0)

    # SIGTERM: the run is handed over, and nobody has to be proven dead for it.
    # Proves: N4, O3
    def test_a_stopped_worker(self):
        seen = self.until_text(self.run_on(self.first, "slow"))
        self.first.ask_to_stop()
        stopped = time.monotonic()
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.note(f"the run has ended {time.monotonic() - stopped:.2f} s after SIGTERM")
        self.assert_whole(seen, self.second, self.room)
        self.assertEqual(self.first.process.wait(PATIENCE), 0)
        self.assertEqual(self.database.number("SELECT max(attempts) FROM turns"), 1)

    # The database session that holds the driver's lease is ended in a run: the driver writes nothing more under that
    # lease, and the run goes on in the same stream, under the next epoch.
    # Proves: A7, L6, L7, N3
    def test_the_lease_is_lost(self):
        witness = Witness(self.database)
        seen = self.until_text(self.run_on(self.first, "some time"))
        holder, = self.driver_of(self.room)
        self.assertEqual(self.database.end_sessions(f"pid = {holder}"), [holder])
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.assert_whole(seen, self.second, self.room)
        self.assertEqual(self.database.number("SELECT driver_epoch FROM sessions"), 2)
        self.until_turns_end()
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])
        self.assert_nobody_died()

    # A worker that stands still is slow, and not dead: its session is nobody else's meanwhile. When it goes on, so does the
    # run, there or, if it finds its lease too old to be trusted, on another one.
    # Proves: A2, D9, L6, N3
    def test_a_frozen_worker(self):
        witness = Witness(self.database)
        stream = self.run_on(self.first, "some time")
        seen = self.until_text(stream)
        frozen = time.monotonic()
        self.first.freeze()
        while time.monotonic() - frozen < STANDING_STILL:
            self.assertEqual(self.run_on(self.second, "hello").status, 409)
        self.assertEqual(witness.written_by(self.second.incarnation, self.room), 0)
        self.first.thaw()
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.assert_whole(seen, self.second, self.room)
        self.until_turns_end()
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])
        self.assert_nobody_died()

    # A worker that stands still and loses all its connections is buried, and its run goes on elsewhere. When it goes on,
    # it writes nothing more into the session.
    # Proves: A1, L7, N3
    def test_a_frozen_worker_that_is_cut_off(self):
        witness = Witness(self.database)
        seen = self.until_text(self.run_on(self.first, "slow"))
        self.first.freeze()
        self.database.end_sessions(f"application_name LIKE 'convene {self.first.incarnation}%'")
        took = self.until_dead(self.first.incarnation, RECOVERY)
        self.note(f"buried after {took:.2f} s")
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.assert_whole(seen, self.second, self.room)
        written = witness.written_by(self.first.incarnation, self.room)
        self.first.thaw()
        self.until_ready(self.first)
        again = self.run_on(self.first, "hello")
        self.assertEqual(again.status, 200)
        self.assertEqual(list(again.frames())[-1][1]["type"], "RUN_FINISHED")
        self.assertNotEqual(self.first.current_incarnation(), self.first.incarnation)
        self.assertEqual(witness.written_by(self.first.incarnation, self.room), written)
        self.assertEqual(witness.stragglers(), [])


if __name__ == "__main__":
    main()
