#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Approvals over workers: whoever decides, wherever and however often, there is one outcome, one turn that goes on, and one
# line in the audit trail.

import threading

from cluster_case import ClusterCase, main
from person import Person
from run_stream import Stream

SCRIPT = """model-script 1
when says "delete"
    call request_approval {"title": "Delete it?", "tools": [{"tool": "read_messages"}], "expires_in_seconds": 600}
    if worked call read_messages {}
    if worked say Done.
    if failed say As you wish.
when says "hurry"
    call request_approval {"title": "Now?", "expires_in_seconds": 1}
    if failed say Too late.
otherwise
    say You said: $user
"""

# So many times two people decide at once.
RACES = 20
VERDICTS = ("approved", "rejected")


class Approvals(ClusterCase):
    def begin(self, count: int):
        self.start_workers(count)
        settings = {
            "provider": "scripted", "instructions": SCRIPT, "tools": ["read_messages"],
            "requires_approval": ["read_messages"],
        }
        body = {"type": "agent", "name": "Helper", "agent": settings}
        self.agent = self.ask(self.workers[0], "POST", "channels", body, 201)["channel"]["id"]

    def make_session(self, name: str) -> str:
        first = self.workers[0]
        body = {"external_id": name, "channels": [{"channel_id": "web"}, {"channel_id": self.agent}]}
        room = self.ask(first, "POST", "rooms", body, 201)["id"]
        for worker in self.workers:
            self.until(
                lambda: worker.ask("PUT", f"/api/v1/rooms/{room}/session", {"agent": self.agent})[0] == 200, "is known"
            )
        return room

    def run_on(self, worker, room: str, text: str = "", **more) -> Stream:
        messages = [{"id": f"m-{text}", "role": "user", "content": text}] if text else []
        body = {
            "threadId": room, "runId": "run", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": messages, **more,
        }
        stream = Stream(worker.port, "POST", f"rooms/{room}/agent?on_disconnect=detach", body)
        self.addCleanup(stream.close)
        return stream

    def asked_in(self, room: str, text: str = "delete") -> str:
        """The id of what the agent asks."""
        last = list(self.run_on(self.workers[0], room, text).frames())[-1][1]
        [interrupt] = last["outcome"]["interrupts"]
        return interrupt["id"]

    def texts(self, worker, room: str) -> list[str]:
        events = self.ask(worker, "GET", f"rooms/{room}/events?after_index=-1&limit=100")["events"]
        return [one["content"]["body"] for one in events if one["content"]["type"] == "text"]

    def decide(self, worker, approval: str, status: str):
        code, _, answer = worker.ask("PATCH", f"/api/v1/approvals/{approval}", {"status": status})
        return code, answer

    def assert_one_outcome(self, room: str, approval: str, worker, said: str):
        self.until(lambda: self.texts(worker, room)[-1] == said, f"the agent says {said!r}")
        count = lambda sql: self.database.number(f"SELECT count(*) FROM {sql}")
        self.until(lambda: count(f"sessions WHERE room_id = '{room}' AND status <> 1") == 0, "the session is idle")
        self.assertEqual(count(f"turns WHERE room_id = '{room}' AND kind = 3"), 1)
        self.assertEqual(count(f"runs WHERE room_id = '{room}'"), 2)
        self.assertEqual(self.texts(worker, room).count(said), 1)
        self.assertEqual(
            count(f"audit_log WHERE target = '{approval}'"), count(f"approvals WHERE id = '{approval}' AND decided_by <> ''")
        )

    # Two decide at once, on two workers, for and against, and both click twice: one wins, all others are told who and what.
    # Proves: A6
    def test_two_deciders_at_once(self):
        self.begin(2)
        won = {verdict: 0 for verdict in VERDICTS}
        for race in range(RACES):
            room = self.make_session(f"race-{race}")
            approval = self.asked_in(room)
            start, answers = threading.Barrier(4), []

            def click(worker, verdict):
                start.wait()
                answers.append((verdict, *self.decide(worker, approval, verdict)))

            clicks = [
                threading.Thread(target=click, args=(worker, verdict))
                for worker, verdict in zip(self.workers, VERDICTS)
                for _ in range(2)
            ]
            for one in clicks:
                one.start()
            for one in clicks:
                one.join()
            accepted = [verdict for verdict, code, _ in answers if code == 200]
            self.assertEqual(len(accepted), 1, answers)
            won[accepted[0]] += 1
            for _, code, answer in answers:
                if code != 200:
                    self.assertEqual((code, answer["code"]), (409, "APPROVAL_ALREADY_RESOLVED"), answer)
                    self.assertEqual(answer["decision"], accepted[0])
                    self.assertTrue(answer["decided_by"] and answer["decided_at"])
            said = "Done." if accepted[0] == "approved" else "As you wish."
            self.assert_one_outcome(room, approval, self.workers[race % 2], said)
        self.note(f"approved {won['approved']} times, rejected {won['rejected']} times")

    # A decision and a run that brings another one, at the same time on two workers.
    # Proves: A6
    def test_a_decision_and_a_run_at_once(self):
        self.begin(2)
        for race in range(RACES // 2):
            room = self.make_session(f"both-{race}")
            approval = self.asked_in(room)
            resume = [{"interruptId": approval, "status": "resolved", "payload": {"status": "approved"}}]
            start, answers = threading.Barrier(2), {}

            def by_patch():
                start.wait()
                answers["patch"] = self.decide(self.workers[0], approval, "rejected")[0]

            def by_run():
                start.wait()
                stream = self.run_on(self.workers[1], room, resume=resume)
                answers["run"] = stream.status
                list(stream.frames())

            both = [threading.Thread(target=by_patch), threading.Thread(target=by_run)]
            for one in both:
                one.start()
            for one in both:
                one.join()
            self.assertEqual(sorted(answers.values()), [200, 409], answers)
            said = "As you wish." if answers["patch"] == 200 else "Done."
            self.assert_one_outcome(room, approval, self.workers[0], said)

    # Late, expired, of another room, and by somebody who may not: refused on every worker, and nothing happens.
    # Proves: A6
    def test_what_is_refused(self):
        self.begin(2)
        first, second = self.workers
        room, other = self.make_session("mine"), self.make_session("other")
        approval, open_elsewhere = self.asked_in(room), self.asked_in(other)
        eve = Person(first.port, "eve")
        self.assertEqual(eve.ask(second.port, "PATCH", f"approvals/{approval}", {"status": "approved"})[0], 404)
        self.ask(first, "POST", f"rooms/{room}/participants", {"id": eve.id, "role": "observer"}, 201)
        self.until(lambda: eve.ask(second.port, "GET", f"approvals/{approval}")[0] == 200, "eve sees it")
        self.assertEqual(eve.ask(second.port, "PATCH", f"approvals/{approval}", {"status": "approved"})[0], 403)
        foreign = [{"interruptId": open_elsewhere, "status": "resolved", "payload": {"status": "approved"}}]
        refused = self.run_on(second, room, resume=foreign)
        self.assertEqual((refused.status, refused.problem()["code"]), (409, "INTERRUPT_NOT_OPEN"))
        self.assertEqual(self.database.number("SELECT count(*) FROM approvals WHERE state <> 1"), 0)
        self.assertEqual(self.decide(second, approval, "returned")[0], 200)
        self.assert_one_outcome(room, approval, first, "As you wish.")
        self.assertEqual(self.decide(first, approval, "approved")[1]["code"], "APPROVAL_ALREADY_RESOLVED")

        hurried = self.make_session("hurried")
        late = self.asked_in(hurried, "hurry")
        self.assert_one_outcome(hurried, late, second, "Too late.")
        self.assertEqual(self.decide(second, late, "approved")[1]["code"], "APPROVAL_EXPIRED")

    # The only worker is killed with the decision, and when the run that tells of it is under way: the next one tells of it.
    # Proves: A6, L10, N3
    def test_the_only_worker_restarts(self):
        self.begin(1)
        [worker] = self.workers
        for number, verdict in enumerate(VERDICTS):
            room = self.make_session(f"restart-{number}")
            approval = self.asked_in(room)
            self.assertEqual(self.decide(worker, approval, verdict)[0], 200)
            self.expected_dead.add(worker.incarnation)
            worker.kill()
            worker.launch()
            self.assertTrue(worker.wait_for_start(), worker.logged())
            worker.incarnation = worker.current_incarnation()
            self.assert_one_outcome(room, approval, worker, "Done." if verdict == "approved" else "As you wish.")


if __name__ == "__main__":
    main()
