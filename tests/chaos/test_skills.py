#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Skills of several workers on one database: one of them pulls, another one takes over, and all have one folder.

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from cluster_case import PATIENCE, RECOVERY, ClusterCase, main  # noqa: E402
from git_server import make_repository  # noqa: E402

GOOD = "---\nname: orders\ndescription: Finds orders.\n---\n"

# Fetches one at a time are told in a file; two of one skill at once in another.
PLAYED_GIT = """#!/bin/sh
case "$*" in *" fetch "*)
    skill=$(dirname "$(dirname "${1#--git-dir=}")")
    mkdir "$skill/fetching" 2>/dev/null || echo "$skill" >> "@/overlaps"
    echo "$PPID" >> "@/fetches"
    # In steps: nothing of it outlives a worker that is killed.
    left=$(cat "@/delay")
    while [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
    /usr/bin/git "$@"
    ended=$?
    rmdir "$skill/fetching"
    exit $ended;;
esac
exec /usr/bin/git "$@"
"""


class Skills(ClusterCase):
    def setUp(self):
        super().setUp()
        self.commit = make_repository(self.folder / "good", {"SKILL.md": GOOD})
        git = self.folder / "bin" / "git"
        git.parent.mkdir()
        git.write_text(PLAYED_GIT.replace("@/", f"{self.folder}/"))
        git.chmod(0o755)
        self.delay(0)

    def delay(self, seconds: float):
        (self.folder / "delay").write_text(str(int(seconds * 10)))

    def told(self, name: str) -> list[str]:
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def make_skilled(self, folder: str = "skills"):
        return self.make_worker(
            SKILLS_DIR=str(self.folder / folder),
            SKILLS_LOCAL_REPOSITORIES="true",
            PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}",
        )

    def start_skilled(self, count: int):
        workers = [self.make_skilled() for _ in range(count)]
        for worker in workers:
            worker.launch()
        for worker in workers:
            self.assertTrue(worker.wait_for_start(), worker.logged())
            worker.incarnation = worker.current_incarnation()
        return workers

    def add(self, worker, name: str = "Orders", wait: str = "") -> dict:
        body = {"name": name, "url": f"file://{self.folder / 'good'}"}
        return self.ask(worker, "POST", f"skills{wait}", body, 201)

    def state(self, worker, skill: dict) -> dict:
        return self.ask(worker, "GET", f"skills/{skill['id']}")

    # Two workers that both see a skill wanting its pull: one clones it, and both read the same revision.
    # Proves: K1, L1
    def test_one_of_two_clones(self):
        first, second = self.start_skilled(2)
        # Longer than it takes until the other worker has looked for wishes, twice.
        self.delay(12)
        skill = self.add(first)
        self.until(lambda: self.state(second, skill)["state"] == "ready", "nobody pulls it")
        self.assertEqual(len(self.told("fetches")), 1)
        for worker in (first, second):
            files = self.ask(worker, "GET", f"skills/{skill['id']}/files")
            self.assertEqual(files["revision"], self.commit)

    # Wishes from all sides at once: no skill is ever cloned by two at the same time, and all become ready.
    # Proves: K1, L1
    def test_no_skill_is_cloned_twice_at_once(self):
        workers = self.start_skilled(3)
        self.delay(0.1)
        skills = [self.add(workers[0], f"s{i}") for i in range(6)]

        def pull(worker):
            for skill in skills * 3:
                self.ask(worker, "POST", f"skills/{skill['id']}/pull", expect=202)

        threads = [threading.Thread(target=pull, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for skill in skills:
            self.until(lambda: self.state(workers[1], skill)["state"] == "ready", "a pull is missing")
        self.assertEqual(self.told("overlaps"), [])
        self.note(f"{len(self.told('fetches'))} fetches for {len(skills) * 10} wishes")

    # The worker that clones is killed: another one clones the skill, and tidies up behind the first.
    # Proves: K1, L6
    def test_another_worker_takes_over(self):
        workers = self.start_skilled(2)
        self.delay(600)
        skill = self.add(workers[0])
        self.until(lambda: self.told("fetches"), "nobody pulls it")
        self.delay(0)
        self.expected_dead.add(workers[0].incarnation)
        workers[0].kill()
        (self.folder / "skills" / skill["id"] / "fetching").rmdir()
        self.until(
            lambda: self.state(workers[1], skill)["state"] == "ready", "nobody takes over", 3 * RECOVERY
        )
        left = [p.name for p in (self.folder / "skills" / skill["id"]).iterdir()]
        self.assertEqual(left, [self.commit])

    # A worker whose folder is not that of the others does not serve, and says what to do. With what it says it does.
    # Proves: K2
    def test_an_unshared_folder_is_refused(self):
        first, = self.start_skilled(1)
        self.add(first, wait="?wait=ready")
        stranger = self.make_skilled("elsewhere")
        stranger.launch()
        self.assertFalse(stranger.wait_for_start())
        self.assertEqual(stranger.process.wait(PATIENCE), 5)
        said = stranger.logged()
        self.assertIn("SKILLS_DIR", said)
        self.assertIn("one shared folder", said)
        self.assertIn(".convene-deployment", said)
        shared = self.folder / "skills" / ".convene-deployment"
        self.assertIn(shared.read_text().strip(), said)
        (self.folder / "elsewhere" / ".convene-deployment").write_text("another one\n")
        stranger.launch()
        self.assertFalse(stranger.wait_for_start())
        self.assertIn("another", stranger.logged())
        second = self.make_skilled()
        second.launch()
        self.assertTrue(second.wait_for_start(), second.logged())


if __name__ == "__main__":
    main()
