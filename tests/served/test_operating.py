#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What operators see and do of agent sessions: turns that failed or were set aside, what is kept and for how long, figures.

import re
import sqlite3
import time

from run_stream import Stream
from served_case import PATIENCE, main
from test_cli import Remote

from cli_case import ROOT  # isort: skip  # served_case makes it importable

BROKEN = """model-script 1
otherwise
    fail cut-off
"""
SOUND = """model-script 1
otherwise
    say Here it is.
"""
DAY = 24 * 3600 * 1_000_000  # microseconds, as the database counts


class Operating(Remote):
    def setUp(self):
        super().setUp()
        self.start_server()
        agent = {"type": "agent", "name": "Helper", "agent": {"provider": "scripted", "instructions": BROKEN}}
        self.agent = self.ask("POST", "channels", agent, 201)["channel"]["id"]
        self.room = self.make_room("talk", channels=[{"channel_id": "web"}, {"channel_id": self.agent}])
        self.ask("PUT", f"rooms/{self.room}/session", {"agent": self.agent})
        self.asked = 0

    def ask(self, method: str, path: str, body=None, expect: int = 200, headers=None):
        status, _, answer = self.client().ask(method, f"/api/v1/{path}", body, headers)
        self.assertEqual(status, expect, answer)
        return answer

    def until(self, look, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.05)  # between two looks
        self.fail(what)

    def mend(self):
        agent = {"provider": "scripted", "instructions": SOUND}
        self.ask("PATCH", f"channels/{self.agent}", {"agent": agent})

    def run_once(self, text: str = "Well?") -> list:
        self.asked += 1
        body = {
            "threadId": self.room, "runId": f"run-{self.asked}", "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": [{"id": f"m-{self.asked}", "role": "user", "content": text}],
        }
        stream = Stream(self.port, "POST", f"rooms/{self.room}/agent", body)
        self.assertEqual(stream.status, 200)
        frames = list(stream.frames())
        stream.close()
        return frames

    def turns(self, status: str) -> list:
        return self.ask("GET", f"admin/turns?status={status}")["turns"]

    def runs(self) -> list:
        return self.ask("GET", f"rooms/{self.room}/runs")["runs"]

    def read(self, query: str = "", after: str | None = None) -> Stream:
        headers = {"Last-Event-ID": after} if after else {}
        stream = Stream(self.port, "GET", f"rooms/{self.room}/agent/stream{query}", headers=headers)
        self.addCleanup(stream.close)
        return stream

    def change_database(self, *statements: str):
        """While no server runs on it."""
        self.assertEqual(self.stop_server(), 0)
        with sqlite3.connect(self.folder / "test.db") as database:
            for one in statements:
                database.execute(one)
        database.close()
        self.start_server()

    def figure(self, name: str) -> float:
        status, _, text = self.client().ask("GET", "/metrics")
        self.assertEqual(status, 200)
        return float(re.search(rf"^{re.escape(name)} (\S+)$", text.decode(), re.MULTILINE)[1])

    # A turn that failed is listed with its reason, and run again when that is asked for: once, and on record. Asked for again
    # it is refused, with what the turn is doing.
    # Proves: N4
    def test_a_failed_turn_is_run_again(self):
        self.run_once()
        (turn,) = self.turns("failed")
        self.assertEqual((turn["room_id"], turn["reason"], turn["attempts"]), (self.room, "ANSWER_CUT_OFF", 1))
        self.assertGreaterEqual(turn["age_seconds"], 0)
        self.assertEqual(self.turns("quarantined"), [])
        self.mend()
        path = f"admin/turns/{turn['id']}/retry"
        queued = self.ask("POST", path, {"reason": "mended"})
        self.assertEqual((queued["status"], queued["attempts"]), ("queued", 0))
        (done,) = self.until(lambda: self.turns("done"), "it is run again")
        self.assertEqual(done["id"], turn["id"])
        texts = [one["content"]["body"] for one in self.ask("GET", f"rooms/{self.room}/events?after_index=-1")["events"]]
        self.assertEqual(texts, ["Well?", "Here it is."])

        refused = self.ask("POST", path, {}, 409)
        self.assertEqual((refused["code"], refused["turn_status"]), ("TURN_NOT_RETRYABLE", "done"))
        self.assertIn("this one is done", refused["detail"])
        self.ask("POST", "admin/turns/none/retry", {}, 404)
        self.ask("GET", "admin/turns?status=broken", expect=422)
        lines = [one for one in self.ask("GET", "admin/audit")["entries"] if one["action"] == "turn.retried"]
        self.assertEqual([(one["target"], one["details"]) for one in lines], [(turn["id"], {"reason": "mended"})])

    # The same by the program: of a server, and of a database that no process writes.
    # Proves: N4
    def test_turns_by_the_program(self):
        self.run_once()
        (turn,) = self.remote("turns", "--json").lines()
        self.assertIn(turn["id"], self.remote("turns", "list").out)
        self.assertEqual(self.remote("turns", "--status", "queued", "--json").lines(), [])
        self.assertEqual([one["id"] for one in self.local("turns", "--json").lines()], [turn["id"]])
        self.assertIn("ID", self.remote("turns", "retry", code=2).err)
        self.assertIn("another process", self.local_refused("turns", "retry", turn["id"], code=4))
        self.mend()
        self.assertEqual(self.remote("turns", "retry", turn["id"], "--json").json()["status"], "queued")
        self.until(lambda: self.turns("done"), "it is run again")
        self.assertIn("TURN_NOT_RETRYABLE", self.remote("turns", "retry", turn["id"], code=3).err)
        self.assertEqual(self.stop_server(), 0)
        self.assertIn("can be run again", self.local_refused("turns", "retry", turn["id"], code=3))
        self.assertIn("no turn", self.local_refused("turns", "retry", "none", code=3))

    # A quarantined session says so, waits for the operator, and is used on afterwards.
    # Proves: N4
    def test_a_quarantined_session_waits_for_an_operator(self):
        self.run_once()
        self.change_database(
            "UPDATE turns SET status = 5, attempts = 5, last_error = 'too_many_attempts'",
            "UPDATE sessions SET status = 8",
        )
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["status"], "quarantined")
        self.assertEqual(self.figure("convene_turns_quarantined"), 1)
        (turn,) = self.turns("quarantined")
        self.assertEqual((turn["reason"], turn["attempts"]), ("too_many_attempts", 5))
        self.mend()
        self.ask("POST", f"admin/turns/{turn['id']}/retry")
        self.until(lambda: self.turns("done"), "it is run again")
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["status"], "idle")
        self.assertEqual(self.figure("convene_turns_quarantined"), 0)

    # Streams are kept for a week, what else is known of runs for ninety days; a reader who comes back for frames that are
    # gone is told to load the room. What an operator may have to look at is kept however old.
    # Proves: A7, N4
    def test_what_runs_leave_is_kept_for_so_long(self):
        self.mend()
        first = self.run_once("one")
        self.run_once("two")
        self.run_once("three")
        newest, second, oldest = [run["id"] for run in self.runs()]
        self.change_database(
            f"UPDATE runs SET ended_at = ended_at - {8 * DAY} WHERE id IN ('{oldest}', '{second}')",
            f"UPDATE turns SET status = 5 WHERE run_id = '{second}'",
        )
        self.until(lambda: self.figure("convene_run_streams_removed_total") == 1, "the old stream goes")
        for query, after in ((f"?run_id={oldest}", None), ("", first[1][0])):
            stream = self.read(query, after)
            self.assertEqual(stream.status, 200)
            self.assertEqual(
                list(stream.frames()), [(first[-1][0], {"from_index": 0, "reason": "frames_removed"})]
            )
        self.assertEqual(self.read(after=first[-1][0]).status, 204)
        for kept in (second, newest):
            self.assertEqual([event["type"] for _, event in self.read(f"?run_id={kept}").frames()][-1], "RUN_FINISHED")
        self.assertEqual([run["id"] for run in self.runs()], [newest, second, oldest])

        self.change_database(f"UPDATE runs SET ended_at = ended_at - {100 * DAY}")
        self.until(lambda: self.figure("convene_runs_removed_total") == 2, "the old runs go")
        self.assertEqual([run["id"] for run in self.runs()], [second])
        self.assertEqual([turn["run_id"] for turn in self.ask("GET", "admin/turns")["turns"]], [second])
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["run_id"], "")
        self.assertEqual(self.read(f"?run_id={newest}").status, 404)
        self.assertEqual([event["type"] for _, event in self.run_once("four")][-1], "RUN_FINISHED")

    # Every figure that the page for operators names is there, and those of runs count.
    # Proves: O2
    def test_figures(self):
        self.run_once()
        page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`(convene_\w+)`", page))
        text = self.client().ask("GET", "/metrics")[2].decode()
        there = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
        self.assertEqual(named - there, set())
        for name, value in (
            ("convene_runs_started_total", 1), ('convene_runs_ended_total{outcome="failed"}', 1),
            ("convene_run_seconds_count", 1), ("convene_run_first_frame_seconds_count", 1), ("convene_turns_queued", 0),
        ):
            self.assertEqual(self.figure(name), value, name)
        self.assertGreaterEqual(self.figure("convene_run_frames_total"), 2)


if __name__ == "__main__":
    main()
