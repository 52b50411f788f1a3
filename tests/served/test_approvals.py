#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What agents ask people, over HTTP and the command line: asked, listed, decided once by who may, and told to the agent.

import json
import time

from person import Person
from run_stream import Stream, text_of
from served_case import PATIENCE, TOKEN, ServedCase, main, message

SCRIPT = """model-script 1
when says "delete"
    call request_approval {"title": "Delete it?", "description": "All of it.", "tools": [{"tool": "read_messages", "arguments": {"limit": 1}}], "expires_in_seconds": 300}
    if worked call read_messages {"limit": 1}
    if worked say Done.
    if failed say As you wish.
when says "just do it"
    call read_messages {"limit": 1}
    if failed say I may not: $result
when says "hurry"
    call request_approval {"title": "Now?", "expires_in_seconds": 1}
    if failed say Too late.
when says "how much"
    call ask_user {"question": "How much?", "schema": {"type": "integer"}}
    if worked say So $result it is.
when says "fill in"
    call ask_user {"question": "Whom, and how much?", "schema": {"type": "object", "required": ["amount", "to"], "properties": {"amount": {"type": "integer", "maximum": 9}, "to": {"type": "object", "properties": {"name": {"type": "string"}}}}}}
    if worked say So be it.
otherwise
    say You said: $user
"""


class Approvals(ServedCase):
    def setUp(self):
        super().setUp()
        self.start_server()
        self.asked = 0
        self.bob = Person(self.port, "bob")
        self.room = self.make_session("talk")

    def ask(self, method: str, path: str, body=None, expect: int = 200):
        status, _, answer = self.client().ask(method, f"/api/v1/{path}", body)
        self.assertEqual(status, expect, answer)
        return answer

    def make_session(self, name: str, **agent) -> str:
        settings = {
            "provider": "scripted", "instructions": SCRIPT, "tools": ["read_messages"],
            "requires_approval": ["read_messages"], **agent,
        }
        made = self.ask("POST", "channels", {"type": "agent", "name": name, "agent": settings}, 201)["channel"]["id"]
        room = self.make_room(name, channels=[{"channel_id": "web"}, {"channel_id": made}])
        self.ask("POST", f"rooms/{room}/participants", {"id": self.bob.id}, 201)
        self.ask("PUT", f"rooms/{room}/session", {"agent": made, "owner": "ann"})
        return room

    def run_agent(self, text: str = "", room: str = "", **more) -> Stream:
        self.asked += 1
        room = room or self.room
        messages = [{"id": f"m-{self.asked}", "role": "user", "content": text}] if text else []
        body = {
            "threadId": room, "runId": f"run-{self.asked}", "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": messages, **more,
        }
        stream = Stream(self.port, "POST", f"rooms/{room}/agent", body)
        self.addCleanup(stream.close)
        return stream

    def ends(self, text: str, room: str = "") -> dict:
        """The last event of a run."""
        events = [event for _, event in self.run_agent(text, room).frames()]
        self.assertEqual([event["type"] for event in events].count("TOOL_CALL_RESULT"), 0, events)
        return events[-1]

    def until(self, look, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.05)  # between two looks
        self.fail(what)

    def texts(self, room: str = "") -> list:
        events = self.ask("GET", f"rooms/{room or self.room}/events?after_index=-1&limit=100")["events"]
        return [one["content"]["body"] for one in events if one["content"]["type"] == "text"]

    def open(self) -> list:
        return self.ask("GET", f"approvals?status=pending&room_id={self.room}")["approvals"]

    def actions(self, action: str) -> list:
        return [one for one in self.ask("GET", "admin/audit")["entries"] if one["action"] == action]

    # The run ends with an interrupt that says all that a client needs; a decision sets the session going again.
    # Proves: A5, A6
    def test_asked_and_approved(self):
        last = self.ends("delete")
        self.assertEqual((last["type"], last["outcome"]["type"]), ("RUN_FINISHED", "interrupt"))
        [interrupt] = last["outcome"]["interrupts"]
        [asked] = self.open()
        self.assertEqual(interrupt["id"], asked["id"])
        self.assertEqual(interrupt["toolCallId"], asked["tool_call_id"])
        self.assertEqual((interrupt["reason"], interrupt["message"]), ("approval", "Delete it?"))
        self.assertEqual(interrupt["responseSchema"]["type"], "object")
        self.assertIn("expiresAt", interrupt)
        self.assertEqual(interrupt["metadata"]["tools"][0]["tool"], "read_messages")
        by = {"agent_name": "talk", "execution_name": "", "task_key": "", "task_title": ""}
        self.assertLessEqual(by.items(), asked["asked_by"].items())
        session = self.ask("GET", f"rooms/{self.room}/session")
        self.assertEqual(asked["asked_by"]["agent"], session["agent"])
        self.assertEqual(session["status"], "waiting_for_approval")
        self.assertEqual([one["id"] for one in session["interrupts"]], [asked["id"]])

        status, decided = self.bob.ask(self.port, "PATCH", f"approvals/{asked['id']}", {"status": "approved", "response": "go"})
        self.assertEqual(status, 200, decided)
        self.assertEqual((decided["status"], decided["decided_by"]), ("approved", f"user:{self.bob.id}"))
        self.assertFalse(decided["may_decide"])
        self.assertEqual(decided["asked_by"], asked["asked_by"])
        self.until(lambda: self.texts()[-1] == "Done.", "the agent goes on")
        self.assertEqual(self.ask("GET", f"approvals/{asked['id']}")["tools"][0]["used"], 1)
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["interrupts"], [])
        self.assertEqual([one["target"] for one in self.actions("approval.approved")], [asked["id"]])
        [allowed] = self.actions("tool_call.allowed")
        self.assertEqual(allowed["details"]["approval_id"], asked["id"])
        self.assertRegex(allowed["details"]["arguments_sha256"], "^[0-9a-f]{64}$")

    # The loser of a race, or a second click, reads who was first, and with what; the agent goes on once.
    # Proves: A6
    def test_decided_once(self):
        self.ends("delete")
        [asked] = self.open()
        path = f"approvals/{asked['id']}"
        self.ask("PATCH", path, {"status": "rejected"})
        for verdict in ("approved", "rejected"):
            problem = self.ask("PATCH", path, {"status": verdict}, 409)
            self.assertEqual(problem["code"], "APPROVAL_ALREADY_RESOLVED")
            self.assertEqual((problem["decision"], problem["approval_id"]), ("rejected", asked["id"]))
            self.assertEqual(problem["decided_by"], "bootstrap")
            self.assertTrue(problem["decided_at"])
        self.until(lambda: self.texts()[-1] == "As you wish.", "the agent goes on")
        self.assertEqual(self.texts().count("As you wish."), 1)
        self.assertEqual(len(self.actions("approval.rejected")), 1)
        self.assertEqual(self.actions("approval.approved"), [])

    # Without an approval the tool is not called, whatever the agent wants, and the refusal is on record.
    # Proves: A6
    def test_nothing_is_called_without(self):
        events = [event for _, event in self.run_agent("just do it").frames()]
        self.assertIn("I may not: Not called", text_of(events))
        [refused] = self.actions("tool_call.refused")
        self.assertEqual(refused["target"], "read_messages")
        self.assertNotIn("limit", json.dumps(refused["details"]))

    # A run answers and goes on in one, in its own stream; what answers less or something else is refused, with nothing stored.
    # Proves: A5, A6
    def test_answered_by_a_run(self):
        [interrupt] = self.ends("delete")["outcome"]["interrupts"]
        before = self.texts()

        def refused(status: int, code: str, **more):
            stream = self.run_agent(**more)
            self.assertEqual(stream.status, status)
            problem = stream.problem()
            self.assertEqual(problem["code"], code)
            return problem

        def answer(name: str, **more) -> dict:
            return {"resume": [{"interruptId": name, "status": "resolved", **more}]}

        awaiting = refused(409, "SESSION_AWAITING_APPROVAL", text="hello")
        self.assertEqual(awaiting["open"], interrupt["id"])
        refused(409, "INTERRUPT_NOT_OPEN", **answer("nobody", payload={"status": "approved"}))
        bad = refused(422, "VALIDATION_ERROR", **answer(interrupt["id"], payload={"status": "perhaps"}))
        self.assertEqual(bad["errors"][0]["field"], "resume[0].payload.status")
        other = self.make_session("other")
        foreign = self.run_agent(room=other, **answer(interrupt["id"], payload={"status": "approved"}))
        self.assertEqual((foreign.status, foreign.problem()["code"]), (409, "INTERRUPT_NOT_OPEN"))
        self.assertEqual([one["id"] for one in self.open()], [interrupt["id"]])
        self.assertEqual(self.texts(), before)

        events = [e for _, e in self.run_agent(**answer(interrupt["id"], payload={"status": "approved"})).frames()]
        self.assertEqual(text_of(events), "Done.")
        self.assertEqual(events[-1]["outcome"], {"type": "success"})
        late = refused(409, "APPROVAL_ALREADY_RESOLVED", **answer(interrupt["id"], payload={"status": "approved"}))
        self.assertEqual(late["decision"], "approved")
        self.assertEqual(len(self.ask("GET", f"rooms/{self.room}/runs")["runs"]), 2)

    # A question takes only the answer that its schema wants.
    # Proves: A6
    def test_a_question(self):
        [interrupt] = self.ends("how much")["outcome"]["interrupts"]
        self.assertEqual((interrupt["reason"], interrupt["responseSchema"]), ("input", {"type": "integer"}))
        path = f"approvals/{interrupt['id']}"
        problem = self.ask("PATCH", path, {"status": "approved", "response": "seven"}, 422)
        self.assertEqual(problem["errors"], [{"field": "response", "reason": "wrong_type"}])
        self.ask("PATCH", path, {"status": "approved", "response": 7})
        self.until(lambda: self.texts()[-1] == "So 7 it is.", "the agent goes on")

    # What is wrong with an answer is told by the fields of the answer, all at once, and nothing is stored of it.
    # Proves: A6
    def test_a_form(self):
        [interrupt] = self.ends("fill in")["outcome"]["interrupts"]
        path = f"approvals/{interrupt['id']}"

        def told(problem: dict, field: str) -> set:
            self.assertEqual(problem["code"], "VALIDATION_ERROR")
            self.assertTrue(all(one["field"].startswith(field) for one in problem["errors"]), problem)
            return {(one["field"].removeprefix(field), one["reason"]) for one in problem["errors"]}

        for answer, wrong in (
            ({"amount": 10, "to": {"name": 7}}, {(".amount", "out_of_range"), (".to.name", "wrong_type")}),
            ({"amount": "9"}, {(".amount", "wrong_type"), (".to", "missing_field")}),
            ([], {("", "wrong_type")}),
        ):
            problem = self.ask("PATCH", path, {"status": "approved", "response": answer}, 422)
            self.assertEqual(told(problem, "response"), wrong)
            resume = [{"interruptId": interrupt["id"], "status": "resolved", "payload": answer}]
            self.assertEqual(told(self.run_agent(resume=resume).problem(), "resume[0].payload"), wrong)
        self.assertEqual(self.ask("GET", path)["status"], "pending")
        self.ask("PATCH", path, {"status": "approved", "response": {"amount": 9, "to": {"name": "Ann"}}})
        self.until(lambda: self.texts()[-1] == "So be it.", "the agent goes on")

    # Whom the agent's settings name decides, nobody else, whatever their role; who does not see the room sees nothing.
    # Proves: A6, X1
    def test_who_may_decide(self):
        eve, amy = Person(self.port, "eve"), Person(self.port, "amy")
        [open_to_all] = self.ends("delete")["outcome"]["interrupts"]
        path = f"approvals/{open_to_all['id']}"
        self.assertEqual(eve.ask(self.port, "GET", path)[0], 404)
        self.assertEqual(eve.ask(self.port, "PATCH", path, {"status": "approved"})[0], 404)
        self.assertEqual(eve.ask(self.port, "GET", "approvals")[1]["approvals"], [])
        self.assertEqual(len(self.bob.ask(self.port, "GET", "approvals")[1]["approvals"]), 1)
        self.ask("POST", f"rooms/{self.room}/participants", {"id": eve.id, "role": "observer"}, 201)
        self.assertEqual(eve.ask(self.port, "GET", path)[0], 200)
        self.assertEqual(eve.ask(self.port, "PATCH", path, {"status": "approved"})[0], 403)
        for person, may in ((eve, False), (self.bob, True)):
            for shown in (
                person.ask(self.port, "GET", path)[1],
                person.ask(self.port, "GET", "approvals")[1]["approvals"][0],
                person.ask(self.port, "GET", f"rooms/{self.room}/session")[1]["interrupts"][0],
            ):
                self.assertEqual((shown["id"], shown["may_decide"]), (open_to_all["id"], may))

        room = self.make_session("named", approvers=[amy.id])
        self.ask("POST", f"rooms/{room}/participants", {"id": amy.id}, 201)
        [named] = self.ends("delete", room)["outcome"]["interrupts"]
        path = f"approvals/{named['id']}"
        self.assertEqual(self.ask("PATCH", path, {"status": "approved"}, 403)["code"], "FORBIDDEN")
        self.assertEqual(self.bob.ask(self.port, "PATCH", path, {"status": "approved"})[0], 403)
        answers = {"resume": [{"interruptId": named["id"], "status": "resolved", "payload": {"status": "approved"}}]}
        self.assertEqual(self.run_agent(room=room, **answers).status, 403)
        self.assertEqual(self.ask("GET", path)["status"], "pending")
        self.assertFalse(self.ask("GET", path)["may_decide"])
        self.assertTrue(amy.ask(self.port, "GET", path)[1]["may_decide"])
        self.assertEqual(amy.ask(self.port, "PATCH", path, {"status": "returned", "response": "why?"})[0], 200)
        self.until(lambda: self.texts(room)[-1] == "As you wish.", "the agent goes on")

        room = self.make_session("role", approvers=["role:admin"])
        [by_role] = self.ends("delete", room)["outcome"]["interrupts"]
        self.assertFalse(self.bob.ask(self.port, "GET", f"approvals/{by_role['id']}")[1]["may_decide"])
        self.assertTrue(self.ask("GET", f"approvals/{by_role['id']}")["may_decide"])
        self.assertEqual(self.bob.ask(self.port, "PATCH", f"approvals/{by_role['id']}", {"status": "approved"})[0], 403)
        self.ask("PATCH", f"approvals/{by_role['id']}", {"status": "rejected"})

    # Whoever may decide is told of it apart from the list, and of what; once it is decided nobody is waited for.
    # Proves: W3, A6
    def test_who_is_told(self):
        eve, amy = Person(self.port, "eve"), Person(self.port, "amy", role="admin")
        self.ask("POST", f"rooms/{self.room}/participants", {"id": eve.id, "role": "observer"}, 201)
        [interrupt] = self.ends("delete")["outcome"]["interrupts"]

        def unread(person: Person) -> list:
            return person.ask(self.port, "GET", "notifications?unread=true")[1]["notifications"]

        self.assertEqual(unread(eve), [])
        for person in (self.bob, amy):
            [told] = unread(person)
            self.assertEqual(told["kind"], "approval_request")
            self.assertEqual(told["subject"], {"type": "approval", "id": interrupt["id"], "name": "Delete it?"})
            self.assertEqual((told["outcome"], told["tasks"]), (None, None))
            self.assertEqual(told["link"], f"/api/v1/approvals/{interrupt['id']}")
        self.assertEqual(self.bob.ask(self.port, "PATCH", f"approvals/{interrupt['id']}", {"status": "rejected"})[0], 200)
        self.assertEqual((unread(self.bob), unread(amy)), ([], []))
        self.assertEqual(len(amy.ask(self.port, "GET", "notifications")[1]["notifications"]), 1)

    # Nobody decides: the agent is told, and who comes later is told as well.
    # Proves: A6
    def test_it_expires(self):
        [interrupt] = self.ends("hurry")["outcome"]["interrupts"]
        self.until(lambda: self.texts()[-1] == "Too late.", "the agent goes on")
        problem = self.ask("PATCH", f"approvals/{interrupt['id']}", {"status": "approved"}, 409)
        self.assertEqual(problem["code"], "APPROVAL_EXPIRED")

    # A message meanwhile waits: the agent reads it together with what was decided, in one run.
    # Proves: A6
    def test_messages_wait(self):
        self.ends("delete")
        self.ask("POST", f"rooms/{self.room}/events?wait=committed", message("hello"), 201)
        [asked] = self.open()
        self.assertEqual(self.ask("GET", f"rooms/{self.room}/session")["status"], "waiting_for_approval")
        self.ask("PATCH", f"approvals/{asked['id']}", {"status": "approved"})
        self.until(lambda: self.ask("GET", f"rooms/{self.room}/session")["status"] == "idle", "the agent goes on")
        self.assertEqual(len(self.ask("GET", f"rooms/{self.room}/runs")["runs"]), 2)
        events = self.ask("GET", f"rooms/{self.room}/events?after_index=-1")["events"]
        [told] = [one["content"] for one in events if one["content"]["type"] == "tool_call"]
        self.assertIn('"decision":"approved"', told["result"])

    # A room that is closed asks nothing any more.
    # Proves: A6
    def test_a_closed_room(self):
        self.ends("delete")
        [asked] = self.open()
        self.ask("POST", f"rooms/{self.room}/close")
        problem = self.ask("PATCH", f"approvals/{asked['id']}", {"status": "approved"}, 409)
        self.assertEqual((problem["code"], problem["decision"]), ("APPROVAL_ALREADY_RESOLVED", "cancelled"))

    # The server is killed right after the decision: the next one goes on, once.
    # Proves: A6, N3
    def test_the_server_restarts(self):
        self.ends("delete")
        [asked] = self.open()
        self.kill_server()
        self.start_server()
        self.assertEqual([one["id"] for one in self.open()], [asked["id"]])
        self.ask("PATCH", f"approvals/{asked['id']}", {"status": "rejected"})
        self.kill_server()
        self.start_server()
        self.until(lambda: self.texts()[-1] == "As you wish.", "the agent goes on")
        self.assertEqual(self.texts().count("As you wish."), 1)

    # The list goes from page to page, and is filtered.
    # Proves: A6
    def test_pages(self):
        for name in ("one", "two", "three"):
            self.ends("delete", self.make_session(name))
        seen, cursor = [], ""
        while cursor is not None:
            page = self.ask("GET", f"approvals?limit=2{cursor and '&cursor=' + cursor}")
            seen += [one["id"] for one in page["approvals"]]
            cursor = page["next_cursor"]
        self.assertEqual(seen, sorted(seen, reverse=True))
        self.assertEqual(len(set(seen)), 3)
        self.assertEqual(self.ask("GET", "approvals?status=approved")["approvals"], [])
        self.ask("GET", "approvals?cursor=x", expect=422)

    # The command lists and decides.
    # Proves: A6
    def test_the_command(self):
        self.ends("delete")
        address = {"CONVENE_URL": f"http://127.0.0.1:{self.port}", "CONVENE_TOKEN": TOKEN}
        remote = lambda *arguments, code=0: self.convene("approvals", *arguments, code=code, env=address)
        [asked] = remote("--json").lines()
        self.assertIn("Delete it?", remote().out)
        self.assertEqual(remote("--status", "approved", "--json").lines(), [])
        decided = remote("return", asked["id"], "--response", "only half", "--json").json()
        self.assertEqual((decided["status"], decided["response"]), ("returned", "only half"))
        self.assertIn("APPROVAL_ALREADY_RESOLVED", remote("approve", asked["id"], code=3).err)
        self.assertEqual(len(remote("list", "--status", "").out.splitlines()), 2)
        remote("approve", code=2)


if __name__ == "__main__":
    main()
