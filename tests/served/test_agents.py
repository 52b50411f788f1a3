#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Agent sessions over real sockets: runs that stream, that are cut, cancelled and read on, and a server that is killed or
# stopped in the middle of one. The model is a script.

import time

from run_stream import Stream, text_of
from served_case import PATIENCE, ServedCase, TOKEN, main, message

SCRIPT = """model-script 1
pace 20ms
when says "slow"
    say One moment ...
    wait 3s
    say ... and here I am again.
when says "remind me"
    call wake_me {"in_seconds": 2, "note": "say it"}
    say I will.
when says "Your note: say it"
    say Here I am.
when says "for ever"
    say I will think about it
    wait 60s
otherwise
    say You said: $user
"""


class Agents(ServedCase):
    def setUp(self):
        super().setUp()
        self.start_server()
        agent = {"type": "agent", "name": "Helper", "agent": {"provider": "scripted", "instructions": SCRIPT, "tools": ["wake_me"]}}
        self.agent = self.ask("POST", "channels", agent, 201)["channel"]["id"]
        self.room = self.make_room("talk", channels=[{"channel_id": "web"}, {"channel_id": self.agent}])
        self.ask("PUT", f"rooms/{self.room}/session", {"agent": self.agent, "owner": "ann"})
        self.asked = 0

    def ask(self, method: str, path: str, body=None, expect: int = 200, headers=None):
        status, _, answer = self.client().ask(method, f"/api/v1/{path}", body, headers)
        self.assertEqual(status, expect, answer)
        return answer

    def input_of(self, text: str) -> dict:
        self.asked += 1
        return {
            "threadId": self.room, "runId": f"run-{self.asked}", "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": [{"id": f"m-{self.asked}", "role": "user", "content": text}],
        }

    def run_agent(self, text: str, on_disconnect: str = "cancel") -> Stream:
        stream = Stream(self.port, "POST", f"rooms/{self.room}/agent?on_disconnect={on_disconnect}", self.input_of(text))
        self.addCleanup(stream.close)
        return stream

    def until(self, look, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.05)  # between two looks
        self.fail(what)

    def texts(self) -> list:
        events = self.ask("GET", f"rooms/{self.room}/events?after_index=-1&limit=100")["events"]
        return [one["content"]["body"] for one in events if one["content"]["type"] == "text"]

    def last_run(self) -> dict:
        return self.ask("GET", f"rooms/{self.room}/runs?limit=1")["runs"][0]

    def test_a_run_streams_and_is_stored(self):
        stream = self.run_agent("hello")
        self.assertEqual(stream.status, 200)
        self.assertIn("no-transform", stream.answer.getheader("cache-control"))
        frames = list(stream.frames())
        events = [event for _, event in frames]
        self.assertEqual(events[0]["type"], "RUN_STARTED")
        self.assertEqual(events[0]["threadId"], self.room)
        self.assertEqual(events[-1]["type"], "RUN_FINISHED")
        self.assertEqual(text_of(events), "You said: hello")
        self.assertEqual(self.texts(), ["hello", "You said: hello"])
        run = self.last_run()
        self.assertEqual([name for name, _ in frames], [f"{run['id']}-{n}" for n in range(len(frames))])
        self.assertEqual(run["status"], "finished")

    def test_a_second_run_is_refused_before_any_header_of_a_stream(self):
        first = self.run_agent("for ever")
        started = next(first.frames())
        self.assertEqual(started[1]["type"], "RUN_STARTED")
        asked_at = time.monotonic()
        second = self.run_agent("hello")
        waited = time.monotonic() - asked_at
        self.assertEqual(second.status, 409)
        self.assertIn("problem+json", second.answer.getheader("content-type"))
        self.assertEqual(second.answer.getheader("retry-after"), "1")
        problem = second.problem()
        self.assertEqual(problem["code"], "SESSION_RUN_IN_PROGRESS")
        self.assertEqual(problem["run_id"], self.last_run()["id"])
        self.assertIn("started_at", problem)
        self.assertTrue(5 <= waited < 15, waited)

    def test_abort_and_retry_is_never_refused(self):
        seen = []
        for _ in range(20):
            stream = self.run_agent("for ever")
            self.assertEqual(stream.status, 200)
            next(stream.frames())
            seen.append(self.last_run())
            stream.close()
        epochs = [run["epoch"] for run in seen]
        self.assertEqual(epochs, sorted(set(epochs)))
        last = self.until(
            lambda: next((run for run in [self.last_run()] if run["status"] == "cancelled"), None), "it ends"
        )
        self.assertEqual(last["finish_reason"], "cancelled")

    def test_a_cut_stream_is_read_on_without_gap_or_repeat(self):
        stream = self.run_agent("slow", on_disconnect="detach")
        seen = []
        for name, event in stream.frames():
            seen.append((name, event))
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        stream.close()
        while seen[-1][1]["type"] not in ("RUN_FINISHED", "RUN_ERROR"):
            again = Stream(
                self.port, "GET", f"rooms/{self.room}/agent/stream", headers={"Last-Event-ID": seen[-1][0]}
            )
            self.assertEqual(again.status, 200)
            for name, event in again.frames():
                seen.append((name, event))
                if len(seen) % 3 == 0:
                    break
            again.close()
        numbers = [int(name.rpartition("-")[2]) for name, _ in seen]
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertEqual(text_of(event for _, event in seen), self.texts()[-1])
        done = Stream(self.port, "GET", f"rooms/{self.room}/agent/stream", headers={"Last-Event-ID": seen[-1][0]})
        self.assertEqual(done.status, 204)
        done.close()

    def test_cancel_keeps_what_was_said(self):
        stream = self.run_agent("for ever")
        frames = stream.frames()
        for _, event in frames:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        asked_at = time.monotonic()
        self.ask("POST", f"rooms/{self.room}/agent/cancel", {}, 202)
        last = [event for _, event in frames][-1]
        self.assertLess(time.monotonic() - asked_at, 3)
        self.assertEqual(last["type"], "RUN_FINISHED")
        self.assertEqual(last["outcome"], {"type": "cancelled"})
        self.assertTrue("I will think about it".startswith(self.texts()[-1]), self.texts())

    def test_a_server_that_is_killed_goes_on_with_the_run(self):
        stream = self.run_agent("slow", on_disconnect="detach")
        seen = []
        for name, event in stream.frames():
            seen.append((name, event))
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                break
        self.kill_server()
        stream.close()
        self.start_server()
        again = Stream(self.port, "GET", f"rooms/{self.room}/agent/stream", headers={"Last-Event-ID": seen[-1][0]})
        self.assertEqual(again.status, 200)
        seen += list(again.frames())
        again.close()
        events = [event for _, event in seen]
        kinds = [event["type"] for event in events]
        self.assertEqual(kinds.count("RUN_STARTED"), 1)
        self.assertEqual(kinds.count("RUN_FINISHED") + kinds.count("RUN_ERROR"), 1)
        self.assertEqual(kinds[-1], "RUN_FINISHED")
        self.assertEqual(kinds.count("TEXT_MESSAGE_START"), kinds.count("TEXT_MESSAGE_END"))
        numbers = [int(name.rpartition("-")[2]) for name, _ in seen]
        self.assertEqual(numbers, list(range(len(numbers))))
        self.assertEqual(self.texts().count("slow"), 1)
        self.assertEqual(text_of(events), "".join(self.texts()[1:]))

    def test_a_message_sent_in_the_ordinary_way_is_a_turn(self):
        self.ask("POST", f"rooms/{self.room}/events?wait=committed", message("good morning"), 201)
        self.until(lambda: "You said: good morning" in self.texts(), "the agent answers")
        self.until(lambda: self.last_run()["status"] == "finished", "the run ends")
        self.assertEqual(self.texts().count("You said: good morning"), 1)

    def test_a_wake_comes_after_a_restart(self):
        list(self.run_agent("remind me").frames())
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["status"], "scheduled")
        wakes = self.ask("GET", f"rooms/{self.room}/agent/wakes")["wakes"]
        self.assertIn("Your note: say it", wakes[0]["text"])
        self.assertEqual(self.stop_server(), 0)
        self.start_server()
        self.until(lambda: "Here I am." in self.texts(), "the agent is not woken")
        self.assertEqual(self.texts().count("Here I am."), 1)

    def test_wakes_that_can_not_be_set_are_refused_by_their_field(self):
        def refused(body: dict) -> tuple:
            answer = self.ask("POST", f"rooms/{self.room}/agent/wakes", body, 422)
            return answer["errors"][0]["field"], answer["errors"][0]["reason"]

        self.assertEqual(refused({"text": "x"}), ("in_seconds", "missing_field"))
        self.assertEqual(refused({"text": "x", "in_seconds": 5, "at": "2100-01-01T00:00:00Z"}), ("at", "not_allowed_here"))
        self.assertEqual(refused({"text": "x", "at": "2020-01-01T00:00:00Z"}), ("at", "out_of_range"))
        self.assertEqual(refused({"text": "x", "at": "tomorrow"})[0], "at")
        self.assertEqual(refused({"text": "x", "in_seconds": 0})[0], "in_seconds")
        self.assertEqual(refused({"in_seconds": 5})[0], "text")
        self.ask("DELETE", f"rooms/{self.room}/agent/wakes/none", None, 404)
        for _ in range(20):
            self.ask("POST", f"rooms/{self.room}/agent/wakes", {"text": "x", "in_seconds": 1000}, 201)
        too_many = self.ask("POST", f"rooms/{self.room}/agent/wakes", {"text": "x", "in_seconds": 1000}, 503)
        self.assertEqual(too_many["code"], "OVERLOADED")

    # Proves: N5, O5
    def test_wakes_on_the_command_line(self):
        at = ("--url", f"http://127.0.0.1:{self.port}", "--token", TOKEN, "wakes")
        soon = self.convene(*at, "set", "talk", "good morning", "--in", "2s", "--json").json()
        self.assertEqual(soon["text"], "good morning")
        late = self.convene(*at, "set", self.room, "and again", "--at", "2027-06-01T08:00:00Z", "--json").json()
        self.assertTrue(late["at"].startswith("2027-06-01T08:00:00"), late)
        self.assertIn("and again", self.convene(*at, "list", "talk").out)
        self.until(lambda: "You said: good morning" in self.texts(), "the agent answers")
        self.assertEqual([w["id"] for w in self.convene(*at, "list", "talk", "--json").lines()], [late["id"]])
        self.assertEqual(self.convene(*at, "cancel", "talk", late["id"]).out.strip(), "taken back")
        self.assertEqual(self.convene(*at, "list", "talk", "--json").out, "")
        # Each fault by its name.
        self.convene(*at, "cancel", "talk", late["id"], code=3)
        self.assertIn("--url", self.convene("wakes", "list", "talk", code=2).err)
        self.assertIn("VERB", self.convene(*at, code=2).err)
        self.assertIn("ROOM", self.convene(*at, "list", code=2).err)
        self.assertIn("TEXT", self.convene(*at, "set", "talk", code=2).err)
        self.assertIn("--in or --at", self.convene(*at, "set", "talk", "x", code=2).err)
        self.assertIn("--in", self.convene(*at, "set", "talk", "x", "--in", "2y", code=2).err)
        self.assertIn("--in", self.convene(*at, "list", "talk", "--in", "2s", code=2).err)
        self.assertIn("at", self.convene(*at, "set", "talk", "x", "--at", "tomorrow", code=3).err)
        self.assertIn("nowhere", self.convene(*at, "list", "nowhere", code=3).err)

    def test_bad_input_is_refused_by_its_field(self):
        wrong = self.input_of("hello") | {"tools": [{"name": "a b"}]}
        refused = Stream(self.port, "POST", f"rooms/{self.room}/agent", wrong)
        self.assertEqual(refused.status, 422)
        self.assertEqual(refused.problem()["errors"][0]["field"], "tools[0].name")
        refused.close()
        other = Stream(self.port, "POST", f"rooms/{self.room}/agent", self.input_of("x") | {"threadId": "another"})
        self.assertEqual(other.status, 404)
        other.close()
        stray = self.input_of("x") | {
            "messages": [{"id": "t", "role": "tool", "toolCallId": "nobody", "content": "x"}]
        }
        stray_answer = Stream(self.port, "POST", f"rooms/{self.room}/agent", stray)
        self.assertEqual(stray_answer.status, 409)
        self.assertEqual(stray_answer.problem()["code"], "TOOL_CALL_NOT_OPEN")
        stray_answer.close()
        self.assertEqual(self.texts(), [])


if __name__ == "__main__":
    main()
