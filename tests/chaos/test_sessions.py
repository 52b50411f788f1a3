#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Agent sessions over workers: one driver at a time, streams that are read anywhere, and runs that go on when their worker
# is killed, stopped, or frozen and cut off.

import time

from cluster_case import PATIENCE, RECOVERY, ClusterCase, main
from run_stream import Stream, text_of

SCRIPT = """model-script 1
pace 20ms
when says "slow"
    say One moment, I have to look.
    wait 2s
    say Here it is.
when says "for ever"
    say I will think about it
    wait 100s
otherwise
    say You said: $user
"""

# A cancellation reaches the driver on another worker in 1 s; tried with three times that.
CANCELLED = 3.0


class Sessions(ClusterCase):
    def setUp(self):
        super().setUp()
        self.first, self.second = self.start_workers(2)
        agent = {"type": "agent", "name": "Helper", "agent": {"provider": "scripted", "instructions": SCRIPT}}
        self.agent = self.ask(self.first, "POST", "channels", agent, 201)["channel"]["id"]
        self.asked = 0
        self.room = self.make_session("talk")

    def make_session(self, name: str) -> str:
        body = {"external_id": name, "channels": [{"channel_id": "web"}, {"channel_id": self.agent}]}
        room = self.ask(self.first, "POST", "rooms", body, 201)["id"]
        self.ask(self.first, "PUT", f"rooms/{room}/session", {"agent": self.agent})
        # The other worker hears of the agent.
        self.until(
            lambda: self.second.ask("PUT", f"/api/v1/rooms/{room}/session", {"agent": self.agent})[0] == 200, "is known"
        )
        return room

    def run_on(self, worker, text: str, policy: str = "detach") -> Stream:
        self.asked += 1
        body = {
            "threadId": self.room, "runId": f"run-{self.asked}", "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": [{"id": f"m-{self.asked}", "role": "user", "content": text}],
        }
        stream = Stream(worker.port, "POST", f"rooms/{self.room}/agent?on_disconnect={policy}", body)
        self.addCleanup(stream.close)
        return stream

    def read_on(self, worker, after: str | None = None) -> Stream:
        headers = {"Last-Event-ID": after} if after else {}
        stream = Stream(worker.port, "GET", f"rooms/{self.room}/agent/stream", headers=headers)
        self.addCleanup(stream.close)
        return stream

    def texts(self, worker) -> list[str]:
        events = self.ask(worker, "GET", f"rooms/{self.room}/events?after_index=-1&limit=100")["events"]
        return [one["content"]["body"] for one in events if one["content"]["type"] == "text"]

    def until_text(self, stream: Stream) -> list:
        """The frames up to the first piece of text."""
        seen = []
        for frame in stream.frames():
            seen.append(frame)
            if frame[1]["type"] == "TEXT_MESSAGE_CONTENT":
                return seen
        self.fail(f"nothing was said: {seen}")

    def assert_whole(self, frames: list, worker):
        """One stream, from its start to its one end, which says what is stored."""
        numbers = [int(name.rpartition("-")[2]) for name, _ in frames]
        self.assertEqual(numbers, list(range(len(frames))))
        kinds = [event["type"] for _, event in frames]
        self.assertEqual(kinds[0], "RUN_STARTED")
        self.assertEqual(kinds.count("RUN_STARTED"), 1)
        self.assertEqual(kinds[-1], "RUN_FINISHED", frames[-1])
        self.assertEqual(kinds.count("RUN_FINISHED") + kinds.count("RUN_ERROR"), 1)
        self.assertEqual(kinds.count("TEXT_MESSAGE_START"), kinds.count("TEXT_MESSAGE_END"))
        texts = self.texts(worker)
        self.assertEqual(text_of(event for _, event in frames), "".join(texts[1:]))
        self.assertEqual(texts.count(texts[0]), 1)

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
        self.assert_whole(frames, self.second)

    # kill -9 in the middle of a message: the other worker goes on, in the same stream.
    # Proves: A7, L10, N3
    def test_a_killed_worker(self):
        seen = self.until_text(self.run_on(self.first, "slow"))
        self.first.kill()
        killed = time.monotonic()
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.note(f"the run has ended {time.monotonic() - killed:.2f} s after the kill")
        self.assert_whole(seen, self.second)
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
        self.assert_whole(seen, self.second)
        self.assertEqual(self.first.process.wait(PATIENCE), 0)
        self.assertEqual(self.database.number("SELECT max(attempts) FROM turns"), 1)

    # A worker that stands still and loses all its connections is buried, and its run goes on elsewhere. When it goes on,
    # it writes nothing more into the session.
    # Proves: A1, L7, N3
    def test_a_frozen_worker_that_is_cut_off(self):
        seen = self.until_text(self.run_on(self.first, "slow"))
        self.first.freeze()
        self.database.end_sessions(f"application_name LIKE 'convene {self.first.incarnation}%'")
        took = self.until_dead(self.first.incarnation, RECOVERY)
        self.note(f"buried after {took:.2f} s")
        seen += list(self.read_on(self.second, seen[-1][0]).frames())
        self.assert_whole(seen, self.second)
        events = self.database.number(f"SELECT count(*) FROM events WHERE room_id = '{self.room}'")
        frames = self.database.number("SELECT count(*) FROM run_frames")
        self.first.thaw()
        self.until_ready(self.first)
        self.assertEqual(self.database.number(f"SELECT count(*) FROM events WHERE room_id = '{self.room}'"), events)
        self.assertEqual(self.database.number("SELECT count(*) FROM run_frames"), frames)
        again = self.run_on(self.first, "hello")
        self.assertEqual(again.status, 200)
        self.assertEqual(list(again.frames())[-1][1]["type"], "RUN_FINISHED")


if __name__ == "__main__":
    main()
