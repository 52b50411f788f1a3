# SPDX-License-Identifier: Apache-2.0
# What the tests of agent sessions share: an agent that plays a script, sessions that it drives, runs and their readers.

import sys
import threading
from pathlib import Path

from cluster_case import PATIENCE, ClusterCase
from database import ADVISORY, lease_key
from worker import Worker

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from run_stream import Stream, text_of  # noqa: E402

ENDS = ("RUN_FINISHED", "RUN_ERROR")


class SessionCase(ClusterCase):
    script = "otherwise\n say You said: $user\n"
    pace = "20ms"
    tools = ()
    worker_count = 2
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.started = self.start_workers(self.worker_count)
        self.first, self.second = self.started[0], self.started[-1]
        self.asked = 0
        self.numbers = threading.Lock()
        self.agent = self.make_agent(self.script)

    def make_agent(self, script: str) -> str:
        instructions = f"model-script 1\npace {self.pace}\n{script}"
        settings = {"provider": "scripted", "instructions": instructions, "tools": list(self.tools)}
        agent = {"type": "agent", "name": "Helper", "agent": settings}
        return self.ask(self.first, "POST", "channels", agent, 201)["channel"]["id"]

    def make_session(self, name: str) -> str:
        body = {"external_id": name, "channels": [{"channel_id": "web"}, {"channel_id": self.agent}]}
        room = self.ask(self.first, "POST", "rooms", body, 201)["id"]
        self.open_session(room)
        return room

    def open_session(self, room: str):
        """Once all workers know the agent."""
        for worker in self.started:
            self.until(lambda: self.is_known(worker, room), f"{worker.name} does not hear of the agent")

    def is_known(self, worker: Worker, room: str) -> bool:
        return worker.ask("PUT", f"/api/v1/rooms/{room}/session", {"agent": self.agent})[0] == 200

    # -- runs

    def start_run(
        self, worker: Worker, room: str, text: str, policy: str = "detach", key: str = "", window: int = 0,
        unanswered: list | None = None,
    ) -> Stream:
        """`unanswered`: (key, text) of what was asked before, which clients send along."""
        with self.numbers:
            self.asked += 1
            number = self.asked
        body = {
            "threadId": room, "runId": f"run-{number}", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [
                {"id": name, "role": "user", "content": said}
                for name, said in [*(unanswered or []), (key or f"m-{number}", text)]
            ],
        }
        path = f"rooms/{room}/agent?on_disconnect={policy}"
        stream = Stream(worker.port, "POST", path, body, window=window)
        self.addCleanup(stream.close)
        return stream

    def read_run(
        self, worker: Worker, room: str, after: str | None = None, run: str = "", window: int = 0
    ) -> Stream:
        headers = {"Last-Event-ID": after} if after else {}
        named = f"?run_id={run}" if run else ""
        path = f"rooms/{room}/agent/stream{named}"
        stream = Stream(worker.port, "GET", path, headers=headers, window=window)
        self.addCleanup(stream.close)
        return stream

    def until_text(self, stream: Stream) -> list:
        """The frames up to the first piece of text."""
        return self.until_frame(stream, "TEXT_MESSAGE_CONTENT")

    def until_frame(self, stream: Stream, kind: str) -> list:
        seen = []
        for frame in stream.frames():
            seen.append(frame)
            if frame[1]["type"] == kind:
                return seen
        self.fail(f"no {kind} came: {stream.status} {seen}")

    # -- what must hold

    def texts(self, worker: Worker, room: str) -> list[str]:
        events = self.ask(worker, "GET", f"rooms/{room}/events?after_index=-1&limit=100")["events"]
        return [one["content"]["body"] for one in events if one["content"]["type"] == "text"]

    def assert_whole(self, frames: list, worker: Worker, room: str):
        """One stream, from its start to its one end, which says what is stored of a session with one question."""
        numbers = [int(name.rpartition("-")[2]) for name, _ in frames]
        self.assertEqual(numbers, list(range(len(frames))))
        kinds = [event["type"] for _, event in frames]
        self.assertEqual(kinds[0], "RUN_STARTED")
        self.assertEqual(kinds.count("RUN_STARTED"), 1)
        self.assertEqual(kinds[-1], "RUN_FINISHED", frames[-1])
        self.assertEqual(sum(kinds.count(kind) for kind in ENDS), 1)
        for begin, end in (("TEXT_MESSAGE_START", "TEXT_MESSAGE_END"), ("TOOL_CALL_START", "TOOL_CALL_RESULT")):
            self.assertEqual(kinds.count(begin), kinds.count(end))
        texts = self.texts(worker, room)
        self.assertEqual(text_of(event for _, event in frames), "".join(texts[1:]))
        self.assertEqual(texts.count(texts[0]), 1)

    def session_key(self, room: str) -> int:
        organization = self.database.value(f"SELECT organization_id FROM rooms WHERE id = '{room}'")
        return lease_key("session", organization, room)

    def driver_of(self, room: str) -> list[int]:
        """The database sessions that hold the session's lease: one, or none."""
        key = self.session_key(room)
        held = self.database.ask(f"{ADVISORY} AND l.granted AND l.mode = 'ExclusiveLock'")
        return [int(row[0]) for row in held if int(row[3]) == key]

    def until_turns_end(self, patience: float = PATIENCE):
        self.until(
            lambda: self.database.number("SELECT count(*) FROM turns WHERE status IN (1, 2)") == 0,
            "turns are left", patience, pause=0.1,
        )
