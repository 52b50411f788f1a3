#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Workflows over real sockets: made, published, executed, watched; who may do what; and the page's own walk.

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import time

from run_stream import Stream, text_of
from served_case import PATIENCE, ROOT, SETTINGS, TOKEN, ServedCase, main, program

SETTINGS["SKILLS_LOCAL_REPOSITORIES"] = "true"

SCRIPT = """model-script 1
pace 10ms
when says "tasks of this execution"
    say I begin.
    call start_task {"key": "first"}
    if worked call complete_task {"key": "first", "result": "one"}
    if worked call start_task {"key": "second"}
    if worked call complete_task {"key": "second", "result": "two"}
    if worked say All done.
when says "design slowly"
    wait 60s
when says "design"
    call set_tasks {"tasks": [{"key": "first", "title": "First"}]}
    if worked say There.
otherwise
    say You said: $user
"""

SLOW = """model-script 1
otherwise
    call start_task {"key": "first"}
    if worked say I think about it.
    wait 100s
"""

ASKING = """model-script 1
otherwise
    call start_task {"key": "first"}
    if worked call request_approval {"title": "Pay 7?"}
    if worked say Paid: $result
    if worked ask Which colour?
    if worked say $result it is.
    call complete_task {"key": "first", "result": "one"}
    if worked call start_task {"key": "second"}
    if worked call complete_task {"key": "second", "result": "two"}
"""

TASKS = [
    {"key": "first", "title": "First", "instructions": "Do the first."},
    {"key": "second", "title": "Second", "depends_on": ["first"], "tools": ["mail"]},
]


class Workflows(ServedCase):
    def setUp(self):
        super().setUp()
        self.start_server()
        self.agent = self.make_agent(SCRIPT)

    def ask(self, method: str, path: str, body=None, expect: int = 200, headers=None, token: str = TOKEN):
        status, _, answer = self.client(token).ask(method, f"/api/v1/{path}", body, headers)
        self.assertEqual(status, expect, answer)
        return answer

    def make_agent(self, script: str) -> str:
        agent = {"type": "agent", "name": "Clerk", "agent": {"provider": "scripted", "instructions": script}}
        return self.ask("POST", "channels", agent, 201)["channel"]["id"]

    def make_workflow(self, expect: int = 201, **more) -> dict:
        return self.ask("POST", "workflows", {"name": "Returns", "agent": self.agent, "tasks": TASKS, **more}, expect)

    def published(self, **more) -> str:
        made = self.make_workflow(**more)
        self.ask("POST", f"workflows/{made['id']}/publish")
        return made["id"]

    def execute(self, workflow: str, body=None, expect: int = 201, **more) -> dict:
        return self.ask("POST", f"workflows/{workflow}/execute", body, expect, **more)

    def until(self, look, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.05)  # between two looks
        self.fail(what)

    def ended(self, execution: str) -> dict:
        def look():
            found = self.ask("GET", f"workflow-executions/{execution}")
            return found if found["status"] != "running" else None

        return self.until(look, "it ends")

    def token_of(self, role: str) -> str:
        return self.ask("POST", "tokens", {"name": role, "role": role}, 201)["token"]

    # The walk of the page, in a shell, on a server that knows nothing yet.
    # Proves: W1
    def test_the_page(self):
        said = self.walk(0)
        self.assertIn("report: completed: Lamp: workshop.", said)
        self.assertIn("Returned parcels: completed", said)
        self.assertEqual(said.count("The report is written."), 2)
        self.assertIn("draft\nCollect what came back", said)

    # What the commands of the page say, of its block with this number.
    def walk(self, number: int) -> str:
        page = (ROOT / "docs/workflows.md").read_text(encoding="utf-8")
        block = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[number]
        script = f'convene() {{ {shlex.quote(program())} "$@"; }}\n{block}'
        shutil.copytree(ROOT / "share", self.folder / "share")
        url = f"http://127.0.0.1:{self.port}"
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment | {"CONVENE_URL": url, "CONVENE_TOKEN": TOKEN},
            capture_output=True,
            timeout=PATIENCE,
        )
        said = ran.stdout.decode()
        self.assertEqual(ran.returncode, 0, said + ran.stderr.decode())
        return said

    # The second walk: a skill from a repository, a draft after it, an execution that asks and is answered.
    # Proves: W1, A6, K1, K2
    def test_the_page_with_a_skill(self):
        said = self.walk(1)
        self.assertIn("Decide on each parcel\nWrite the report\n", said)
        self.assertIn("? Refund 40 euros for the lamp?", said)
        self.assertIn("decide: completed: Lamp: refund, 40 euros.", said)
        self.assertEqual(said.count("The report is written."), 1)

    # At a terminal `convene run` asks whoever sits there, and goes on with what is typed.
    # Proves: W1, A6
    def test_run_asks_at_the_terminal(self):
        agent = self.make_agent(ASKING)
        execution = self.execute(self.published(agent=agent))["id"]
        master, slave = pty.openpty()
        ran = subprocess.Popen(
            [program(), "run", execution],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=self.environment | {"CONVENE_URL": f"http://127.0.0.1:{self.port}", "CONVENE_TOKEN": TOKEN},
        )
        os.close(slave)
        self.addCleanup(os.close, master)
        said = self.typed_at(master, "and why if you like: ", "perhaps\n")
        said += self.typed_at(master, "and why if you like: ", "approve quickly\n")
        said += self.typed_at(master, "your answer: ", "Blue\n")
        while piece := self.shown_at(master):
            said += piece
        self.assertEqual(ran.wait(PATIENCE), 0, said)
        self.assertIn("? Pay 7?", said)
        self.assertIn("? Which colour?", said)
        self.assertIn('Paid: {"decision":"approved"', said)
        self.assertIn("quickly", said)
        self.assertIn("Blue it is.", said)

    def typed_at(self, terminal: int, prompt: str, line: str) -> str:
        said = ""
        while prompt not in said:
            piece = self.shown_at(terminal)
            self.assertTrue(piece, said)
            said += piece
        os.write(terminal, line.encode())
        return said

    # What the terminal shows next; nothing once the program has ended.
    def shown_at(self, terminal: int) -> str:
        readable, _, _ = select.select([terminal], [], [], PATIENCE)
        self.assertTrue(readable, "the program says nothing")
        try:
            return os.read(terminal, 65536).decode(errors="replace")
        except OSError:  # Linux: nobody has the other side open any more
            return ""

    # An execution runs without anybody's request, and whoever looks sees its whole stream, its tasks and its end.
    # Proves: W1, W3, A1, A7, N1
    def test_an_execution_runs_by_itself(self):
        execution = self.execute(self.published())
        self.assertEqual(execution["version"], 1)
        ended = self.ended(execution["id"])
        self.assertEqual(ended["status"], "completed")
        tasks = self.ask("GET", f"workflow-executions/{execution['id']}/tasks")["tasks"]
        self.assertEqual([(one["status"], one["result"]) for one in tasks], [("completed", "one"), ("completed", "two")])
        stream = Stream(self.port, "GET", f"workflow-executions/{execution['id']}/agent/stream?after=")
        self.assertEqual(stream.status, 422)
        stream.close()
        stream = Stream(self.port, "GET", f"workflow-executions/{execution['id']}/agent/stream")
        events = [event for _, event in stream.frames()]
        stream.close()
        self.assertEqual(events[0]["type"], "RUN_STARTED")
        self.assertEqual(events[0]["threadId"], execution["id"])
        self.assertEqual(events[-1]["type"], "RUN_FINISHED")
        self.assertEqual(text_of(events), "I begin.All done.")
        told = self.ask("GET", "notifications?unread=true")["notifications"]
        self.assertEqual([one["title"] for one in told], ["Returns: completed"])
        self.assertEqual(told[0]["link"], f"/api/v1/workflow-executions/{execution['id']}")
        self.assertEqual(told[0]["kind"], "execution_completed")
        self.assertEqual(told[0]["subject"], {"type": "execution", "id": execution["id"], "name": "Returns"})
        self.assertEqual(told[0]["outcome"], "completed")
        self.assertEqual(told[0]["error"], "")
        read = self.ask("PATCH", f"notifications/{told[0]['id']}", {"read": True})
        self.assertIsNotNone(read["read_at"])
        self.assertEqual(self.ask("GET", "notifications?unread=true")["notifications"], [])
        body = {
            "threadId": execution["id"], "runId": "again", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [{"id": "m", "role": "user", "content": "And now?"}],
        }
        refused = Stream(self.port, "POST", f"workflow-executions/{execution['id']}/agent", body)
        self.assertEqual(refused.status, 409)
        self.assertEqual(refused.problem()["code"], "EXECUTION_ENDED")
        refused.close()

    # What is told says of what, and how that ended, apart from its sentence; one request reads all that is one's own.
    # Proves: W3, X1
    def test_notifications(self):
        def told(kind: str):
            return [one for one in self.ask("GET", "notifications?unread=true")["notifications"] if one["kind"] == kind]

        made = self.make_workflow(name="Made: failed", tasks=[], prompt="Please design it.")
        self.until(lambda: told("draft_ready"), "the draft is told")
        empty = self.make_workflow(name="Empty", tasks=[], prompt="Please do nothing.")
        self.until(lambda: told("generation_failed"), "the failure is told")
        [ready], [failed] = told("draft_ready"), told("generation_failed")
        self.assertEqual(ready["subject"], {"type": "workflow", "id": made["id"], "name": "Made: failed"})
        self.assertEqual((ready["outcome"], ready["tasks"]), ("completed", {"completed": 0, "total": 1}))
        self.assertEqual(failed["subject"], {"type": "workflow", "id": empty["id"], "name": "Empty"})
        self.assertEqual((failed["outcome"], failed["tasks"], failed["error"]), ("failed", None, "no_tasks"))

        other = self.token_of("operator")
        mine = self.execute(self.published(), headers={"Idempotency-Key": "mine"})["id"]
        theirs = self.execute(self.published(), token=other)["id"]
        self.ended(mine)
        self.ended(theirs)
        self.assertEqual(told("execution_completed")[0]["tasks"], {"completed": 2, "total": 2})
        refused = self.ask("PATCH", "notifications", {"read": False}, 422)
        self.assertEqual(refused["errors"], [{"field": "read", "reason": "unknown_value"}])
        self.assertEqual(self.ask("PATCH", "notifications", {"read": True}), {"marked": 3, "has_more": False})
        self.assertEqual(self.ask("GET", "notifications?unread=true")["notifications"], [])
        self.assertEqual(len(self.ask("GET", "notifications")["notifications"]), 3)
        self.assertEqual(self.ask("PATCH", "notifications", {"read": True}), {"marked": 0, "has_more": False})
        [kept] = self.ask("GET", "notifications?unread=true", token=other)["notifications"]
        self.assertEqual(kept["subject"]["id"], theirs)

    # What is asked in an execution says in which one, and for which task; decided, the task may be another one.
    # Proves: A6, W1
    def test_a_task_asks(self):
        execution = self.execute(self.published(agent=self.make_agent(ASKING)))["id"]

        def asked(kind: str) -> dict:
            look = lambda: self.ask("GET", f"approvals?status=pending&room_id={execution}")["approvals"]
            return self.until(lambda: next((one for one in look() if one["kind"] == kind), None), "the agent asks")

        leave = asked("approval")
        by = leave["asked_by"]
        self.assertEqual((by["agent_name"], by["execution_name"]), ("Clerk", "Returns"))
        self.assertEqual((by["task_key"], by["task_title"]), ("first", "First"))
        self.assertTrue(leave["may_decide"])
        decided = self.ask("PATCH", f"approvals/{leave['id']}", {"status": "approved"})
        self.assertEqual((decided["asked_by"]["execution_name"], decided["asked_by"]["task_key"]), ("Returns", ""))
        question = asked("input")
        self.assertEqual(question["asked_by"], by)
        self.ask("PATCH", f"approvals/{question['id']}", {"status": "approved", "response": "Blue"})
        self.assertEqual(self.ended(execution)["status"], "completed")

    # The same request again is the same thing.
    # Proves: R8, W1
    def test_keys(self):
        key = {"Idempotency-Key": "k"}
        body = {"name": "Returns", "agent": self.agent, "tasks": TASKS}
        made = self.ask("POST", "workflows", body, 201, headers=key)
        self.assertEqual(self.ask("POST", "workflows", body, 201, headers=key)["id"], made["id"])
        first = self.ask("POST", f"workflows/{made['id']}/publish")
        self.assertEqual(self.ask("POST", f"workflows/{made['id']}/publish"), first)
        execution = self.execute(made["id"], headers=key)
        self.assertEqual(self.execute(made["id"], headers=key)["id"], execution["id"])
        self.assertEqual(len(self.ask("GET", "workflow-executions")["executions"]), 1)

    # What is wrong with tasks is told by its field and in words; a change on another revision is refused.
    # Proves: W1
    def test_drafts(self):
        circle = [{"key": "a", "title": "A", "depends_on": ["b"]}, {"key": "b", "title": "B", "depends_on": ["a"]}]
        refused = self.make_workflow(422, tasks=circle)
        self.assertEqual(refused["errors"], [{"field": "tasks[0].depends_on", "reason": "not_allowed_here"}])
        self.assertIn("`a` on `b` on `a`", refused["detail"])
        refused = self.make_workflow(422, tasks=[{"key": "a", "title": "A", "colour": "red"}])
        self.assertEqual(refused["errors"][0]["field"], "tasks[0].colour")
        refused = self.ask("POST", "workflows", {"name": "x", "prompt": "y"}, 422)
        self.assertEqual(refused["errors"][0]["field"], "agent")
        refused = self.make_workflow(422, agent="nobody")
        self.assertEqual(refused["code"], "CHANNEL_NOT_REGISTERED")

        made = self.make_workflow()
        self.assertEqual(made["status"], "draft")
        path = f"workflows/{made['id']}"
        changed = self.ask("PATCH", path, {"name": "Others", "revision": made["revision"]})
        self.assertEqual(changed["tasks"], made["tasks"])
        refused = self.ask("PATCH", path, {"name": "x", "revision": made["revision"]}, 409)
        self.assertEqual(refused["code"], "WORKFLOW_CHANGED")
        self.ask("POST", f"{path}/publish")
        self.ask("PATCH", path, {"tasks": TASKS[:1]})
        self.assertEqual(self.ask("GET", path)["status"], "modified")
        self.assertEqual(self.ask("POST", f"{path}/publish")["number"], 2)
        versions = self.ask("GET", f"{path}/versions")["versions"]
        self.assertEqual([(one["number"], len(one["tasks"])) for one in versions], [(2, 1), (1, 2)])
        page = self.ask("GET", "workflows?limit=1")
        self.assertEqual([one["id"] for one in page["workflows"]], [made["id"]])
        empty = self.make_workflow(tasks=[])
        self.ask("POST", f"workflows/{empty['id']}/publish", None, 422)
        self.execute(empty["id"], expect=404)
        page = self.ask("GET", "workflows?limit=1")
        self.assertEqual([one["id"] for one in page["workflows"]], [empty["id"]])
        page = self.ask("GET", f"workflows?limit=1&cursor={page['next_cursor']}")
        self.assertEqual([one["id"] for one in page["workflows"]], [made["id"]])
        self.assertIsNone(page["next_cursor"])
        self.ask("DELETE", path, None, 204)
        self.ask("GET", path, None, 404)
        actions = [one["action"] for one in self.ask("GET", "admin/audit")["entries"]]
        for action in ("workflow.created", "workflow.changed", "workflow.published", "workflow.deleted"):
            self.assertIn(action, actions)

    # An agent makes the draft; in its session it is talked with afterwards.
    # Proves: W1, W3, A1
    def test_a_draft_is_generated(self):
        made = self.make_workflow(tasks=[], prompt="Please design it.")
        self.assertEqual(made["status"], "generating")
        path = f"workflows/{made['id']}"
        drafted = self.until(
            lambda: next((one for one in [self.ask("GET", path)] if one["status"] != "generating"), None), "it is made"
        )
        self.assertEqual(drafted["status"], "draft")
        self.assertEqual([task["key"] for task in drafted["tasks"]], ["first"])
        body = {
            "threadId": made["room_id"], "runId": "1", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [{"id": "m", "role": "user", "content": "Thanks"}],
        }
        stream = Stream(self.port, "POST", f"{path}/agent", body)
        self.assertEqual(stream.status, 200)
        self.assertEqual(text_of(event for _, event in stream.frames()), "You said: Thanks")
        stream.close()
        other = Stream(self.port, "POST", f"{path}/agent", body | {"threadId": "another"})
        self.assertEqual(other.status, 404)
        other.close()

    # Cancelled, an execution ends at once, with its run.
    # Proves: W1, A3
    def test_an_execution_is_cancelled(self):
        workflow = self.published(agent=self.make_agent(SLOW))
        execution = self.execute(workflow)["id"]

        def first_started():
            tasks = self.ask("GET", f"workflow-executions/{execution}/tasks")["tasks"]
            return tasks[0]["status"] == "in_progress"

        self.until(first_started, "it starts")
        cancelled = self.ask("POST", f"workflow-executions/{execution}/cancel")
        self.assertEqual(cancelled["status"], "cancelled")
        self.assertEqual(self.ask("POST", f"workflow-executions/{execution}/cancel"), cancelled)
        self.until(
            lambda: self.ask("GET", f"rooms/{execution}/runs?limit=1")["runs"][0]["status"] == "cancelled", "its run ends"
        )
        listed = self.ask("GET", "workflow-executions?status=cancelled")["executions"]
        self.assertEqual([one["id"] for one in listed], [execution])
        self.ask("DELETE", f"workflow-executions/{execution}", None, 204)
        self.ask("GET", f"workflow-executions/{execution}", None, 404)
        self.ask("GET", f"rooms/{execution}", None, 404)

    # An operator sees what others execute and does not drive it; a member of the organisation executes what is published and
    # makes nothing; strangers see nothing.
    # Proves: X1, A1
    def test_who_may(self):
        workflow = self.published(agent=self.make_agent(SLOW))
        execution = self.execute(workflow)["id"]
        operator, member = self.token_of("operator"), self.token_of("member")
        self.ask("POST", "workflows", {"name": "x"}, 403, token=member)
        self.ask("PATCH", f"workflows/{workflow}", {"name": "x"}, 403, token=member)
        self.ask("POST", f"workflows/{workflow}/publish", None, 403, token=member)
        self.ask("GET", f"workflows/{workflow}", token=member)
        self.execute(workflow, {"draft": True}, 403, token=member)
        own = self.execute(workflow, token=member)["id"]
        self.ask("POST", f"workflow-executions/{own}/cancel", token=member)
        self.ask("GET", f"workflow-executions/{execution}", token=operator)
        for path in (f"workflow-executions/{execution}/cancel", f"workflow-executions/{execution}/agent/cancel",
                     f"rooms/{execution}/agent/cancel"):
            self.ask("POST", path, None, 403, token=operator)
        body = {
            "threadId": execution, "runId": "1", "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [{"id": "m", "role": "user", "content": "Hello"}],
        }
        for path in (f"workflow-executions/{execution}/agent", f"rooms/{execution}/agent"):
            self.ask("POST", path, body, 403, token=operator)
        self.ask("DELETE", f"workflow-executions/{execution}", None, 403, token=operator)
        organization = {"name": "Globex", "admin_email": "a@globex.example", "admin_name": "A"}
        link = self.ask("POST", "organizations", organization, 201)["link"].partition("#link=")[2]
        status, headers, _ = self.client().ask(
            "POST", "/api/v1/auth/password", {"link_token": link, "password": "a long password"}
        )
        self.assertEqual(status, 200)
        stranger = {"Authorization": "", "Cookie": headers["set-cookie"].partition(";")[0]}
        for path in (f"workflows/{workflow}", f"workflow-executions/{execution}",
                     f"workflow-executions/{execution}/tasks", f"workflow-executions/{execution}/agent/stream"):
            self.ask("GET", path, None, 404, headers=stranger)
        self.assertEqual(self.ask("GET", "workflow-executions", headers=stranger)["executions"], [])
        self.ask("POST", f"workflow-executions/{execution}/cancel")


if __name__ == "__main__":
    main()
