#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Executions over workers: kill -9 of whoever drives one, and it is worked through to its one end all the same.

from cluster_case import ClusterCase, main

SCRIPT = """model-script 1
pace 10ms
when says "tasks of this execution"
    say I begin.
    call start_task {"key": "a"}
    wait 700ms
    if worked call complete_task {"key": "a", "result": "A"}
    wait 700ms
    call start_task {"key": "b"}
    wait 700ms
    if worked call complete_task {"key": "b", "result": "B"}
    wait 700ms
    say All done.
    wait 700ms
otherwise
    say Hm.
"""

TASKS = [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "depends_on": ["a"]}]


class Workflows(ClusterCase):
    def setUp(self):
        super().setUp()
        self.start_workers(2)
        agent = {"type": "agent", "name": "Clerk", "agent": {"provider": "scripted", "instructions": SCRIPT}}
        agent = self.ask(self.workers[0], "POST", "channels", agent, 201)["channel"]["id"]
        workflow = {"name": "Returns", "agent": agent, "tasks": TASKS}
        self.workflow = self.ask(self.workers[0], "POST", "workflows", workflow, 201)["id"]
        self.ask(self.workers[0], "POST", f"workflows/{self.workflow}/publish")

    def states(self, execution: str) -> str:
        return self.database.value(
            f"SELECT string_agg(status::text, ',' ORDER BY position) FROM execution_tasks WHERE room_id = '{execution}'"
        )

    def kill_driver(self, execution: str):
        """Whoever drives it now; answers another one."""
        incarnation = self.database.value(
            f"SELECT r.worker FROM runs r JOIN sessions s ON s.run_id = r.id WHERE s.room_id = '{execution}'"
        )
        driver = next(one for one in self.workers if one.is_running() and one.incarnation == incarnation)
        driver.kill()
        self.expected_dead.add(driver.incarnation)
        return next(one for one in self.workers if one.is_running())

    # Killed in the middle of a task, between two, and behind the last one: each task is done once, the execution is settled
    # once, and its initiator is told once.
    # Proves: W1, W3, N1, N3, L7
    def test_a_killed_driver(self):
        for phase in ("2,1", "3,1", "3,2", "3,3"):
            with self.subTest(killed_at=phase):
                asked = next(one for one in self.workers if one.is_running())
                execution = self.ask(asked, "POST", f"workflows/{self.workflow}/execute", None, 201)["id"]
                self.until(lambda: self.states(execution) == phase, f"it comes to {phase}")
                left = self.kill_driver(execution)
                self.start_workers(1)
                self.until(
                    lambda: self.ask(left, "GET", f"workflow-executions/{execution}")["status"] != "running", "it ends"
                )
                self.until(
                    lambda: self.ask(left, "GET", f"rooms/{execution}/session")["status"] == "idle", "its run ends"
                )
                found = self.ask(left, "GET", f"workflow-executions/{execution}")
                self.assertEqual(found["status"], "completed")
                tasks = self.ask(left, "GET", f"workflow-executions/{execution}/tasks")["tasks"]
                self.assertEqual([(one["status"], one["result"]) for one in tasks], [("completed", "A"), ("completed", "B")])
                for task in tasks:
                    self.assertLessEqual(task["started_at"], task["ended_at"])
                told = self.ask(left, "GET", "notifications")["notifications"]
                link = f"/api/v1/workflow-executions/{execution}"
                self.assertEqual([one["title"] for one in told if one["link"] == link], ["Returns: completed"])
                self.assertEqual(self.database.number(f"SELECT count(*) FROM runs WHERE room_id = '{execution}'"), 1)
                self.assertEqual(self.database.number("SELECT count(*) FROM turns WHERE status IN (1, 2)"), 0)


if __name__ == "__main__":
    main()
