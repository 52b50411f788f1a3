#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Skills of a running server: from git servers over HTTPS and from folders, through kills, with credentials that nobody
# sees, and over the command line.

import json
import os
import shutil
import time
from pathlib import Path

from git_server import GitServer, arguments_with, make_repository, processes_with
from served_case import PATIENCE, ROOT, SETTINGS, ServedCase, TOKEN, main

SETTINGS["OUTGOING_ALLOWED"] = "127.0.0.0/8"
SETTINGS["SKILLS_LOCAL_REPOSITORIES"] = "true"
SAMPLE = ROOT / "share/sample/skills/meeting-notes"
GOOD = "---\nname: orders\ndescription: Finds orders.\n---\n"


class Skills(ServedCase):
    def setUp(self):
        super().setUp()
        self.repositories = self.folder / "repositories"

    def tearDown(self):
        for name in ("SKILLS_GIT_CA", "SKILLS_CLONE_TIMEOUT_SECONDS", "SKILLS_PRUNE_GRACE_SECONDS"):
            SETTINGS.pop(name, None)
        super().tearDown()

    def ask(self, method: str, path: str, body=None, expect: int = 200, headers=None):
        status, _, answer = self.client().ask(method, f"/api/v1/{path}", body, headers)
        self.assertEqual(status, expect, answer)
        return answer

    def serve_git(self, **how) -> GitServer:
        server = GitServer(self.repositories, self.folder, **how)
        self.addCleanup(server.close)
        SETTINGS["SKILLS_GIT_CA"] = str(server.certificate)
        return server

    def make(self, name: str, files=None) -> str:
        return make_repository(self.repositories / name, files or {"SKILL.md": GOOD})

    def local(self, name: str) -> str:
        return f"file://{self.repositories / name}"

    def add(self, url: str, expect: int = 201, **more) -> dict:
        return self.ask("POST", "skills?wait=ready", {"name": "Orders", "url": url, **more}, expect)

    def until(self, look, what: str):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.02)  # between two looks
        self.fail(what)

    def skills_folder(self) -> Path:
        return self.folder / "test.db.skills"

    # The sample is a skill: pulled from a folder, shown with its files, pulled again when it has changed.
    # Proves: K1
    def test_the_sample_is_a_skill(self):
        self.start_server()
        shutil.copytree(SAMPLE, self.repositories / "sample")
        commit = make_repository_of(self.repositories / "sample")
        made = self.ask("POST", "skills", {"name": "Notes", "url": self.local("sample")}, 201)
        self.assertEqual((made["state"], made["revision"]), ("cloning", ""))
        ready = self.ask("POST", f"skills/{made['id']}/pull?wait=ready")
        self.assertEqual((ready["state"], ready["revision"]), ("ready", commit), ready)
        shown = self.ask("GET", f"skills/{made['id']}/files")
        self.assertEqual(shown["name"], "meeting-notes")
        self.assertEqual(shown["allowed_tools"], ["read_messages", "add_task", "observe"])
        self.assertEqual([f["path"] for f in shown["files"]], ["templates/notes.md"])
        self.assertTrue(shown["body"].startswith("# Meeting notes"))
        newer = make_repository(self.repositories / "sample", {"SKILL.md": GOOD})
        self.assertEqual(self.ask("POST", f"skills/{made['id']}/pull?wait=ready")["revision"], newer)
        before = self.ask("GET", f"skills/{made['id']}/files?revision={commit}")
        self.assertEqual(before["name"], "meeting-notes")
        missing = self.ask("GET", f"skills/{made['id']}/files?revision={'0' * 40}", expect=409)
        self.assertEqual(missing["code"], "SKILL_NOT_READY")
        self.assertEqual(missing["skill_id"], made["id"])
        self.ask("DELETE", f"skills/{made['id']}", expect=204)
        self.ask("GET", f"skills/{made['id']}", expect=404)

    # Admins alone change skills, operators see them, and everything is on record without a secret.
    # Proves: K1, X1, X3
    def test_rights_and_the_audit_trail(self):
        self.start_server()
        self.make("good")
        roles = {}
        for role in ("member", "operator", "admin"):
            roles[role] = self.ask("POST", "tokens", {"name": role, "role": role}, 201)["token"]
        body = {"name": "Orders", "url": self.local("good"), "username": "me", "password": "hunter2"}

        def asked(role, method, path, body=None):
            return self.client(roles[role]).ask(method, f"/api/v1/{path}", body)[0]

        for role, expected in (("member", 403), ("operator", 403), ("admin", 201)):
            self.assertEqual(asked(role, "POST", "skills?wait=ready", body), expected)
        skill = self.ask("GET", "skills")["skills"][0]
        path = f"skills/{skill['id']}"
        self.assertTrue(skill["has_password"])
        self.assertNotIn("hunter2", json.dumps(skill))
        for role, expected in (("member", 403), ("operator", 200)):
            for what in ("skills", path, f"{path}/files"):
                self.assertEqual(asked(role, "GET", what), expected, what)
        self.assertEqual(asked("operator", "POST", f"{path}/pull"), 403)
        self.assertEqual(asked("operator", "DELETE", path), 403)
        self.assertEqual(asked("operator", "PATCH", path, {"name": "x"}), 403)
        changed = self.ask("PATCH", path, {"name": "Renamed", "reference": "main"})
        self.assertEqual((changed["name"], changed["has_password"]), ("Renamed", True))
        # It was given for that URL, and goes to no other one.
        changed = self.ask("PATCH", path, {"url": self.local("elsewhere")})
        self.assertEqual((changed["username"], changed["has_password"]), ("me", False))
        self.ask("POST", f"{path}/pull?wait=ready")
        self.ask("DELETE", path, expect=204)
        entries = self.ask("GET", "admin/audit")["entries"]
        actions = [e["action"] for e in entries if e["target"] == skill["id"]]
        self.assertEqual(actions, [
            "skill.removed", "skill.pull_wanted", "skill.changed", "skill.changed", "skill.added"
        ])
        self.assertNotIn("hunter2", json.dumps(entries))

    # What can't be a repository, a reference or a path is refused by its field, before anything is stored.
    # Proves: K1, X2
    def test_what_is_asked_for_is_checked(self):
        self.start_server()
        for field, value in (
            ("url", "http://example.com/r"),
            ("url", "ext::sh -c evil"),
            ("url", "https://me:secret@example.com/r"),
            ("reference", "--upload-pack=evil"),
            ("path", "../.."),
            ("username", "a:b"),
            ("password", "a\nb"),
        ):
            body = {"name": "x", "url": "https://example.com/r"} | {field: value}
            refused = self.ask("POST", "skills", body, 422)
            self.assertEqual([e["field"] for e in refused["errors"]], [field], value)
        self.assertEqual(self.ask("GET", "skills")["skills"], [])
        self.assertEqual(self.add("https://10.1.2.3/r")["error"], "address_refused")

    # A request with a key that is sent again makes no second skill.
    # Proves: R8
    def test_a_key_adds_one(self):
        self.start_server()
        self.make("good")
        body = {"name": "Orders", "url": self.local("good")}
        key = {"Idempotency-Key": "one"}
        first = self.ask("POST", "skills", body, 201, key)
        self.assertEqual(self.ask("POST", "skills", body, 200, key)["id"], first["id"])
        other = self.ask("POST", "skills", body | {"name": "Other"}, 422, key)
        self.assertEqual(other["code"], "IDEMPOTENCY_KEY_REUSED")
        self.assertEqual(len(self.ask("GET", "skills")["skills"]), 1)

    # Over HTTPS with a password: it reaches the git server and no list of processes, no log and no file.
    # Proves: K1, X2
    def test_credentials_are_used_and_not_seen(self):
        password = "hunter2-" + os.urandom(8).hex()
        server = self.serve_git(credentials=f"reader:{password}")
        commit = self.make("private")
        SETTINGS["LOG_LEVEL"] = "trace"
        self.addCleanup(SETTINGS.update, {"LOG_LEVEL": "error"})
        self.start_server()
        refused = self.add(server.url("private"))
        self.assertEqual((refused["state"], refused["error"]), ("failed", "authentication_failed"))
        ready = self.add(server.url("private"), username="reader", password=password)
        self.assertEqual((ready["state"], ready["revision"]), ("ready", commit), ready)
        self.assertTrue(any(header for _, header in server.seen))
        self.assertEqual(self.add(server.url("nothing"), username="reader", password=password)["error"],
                         "repository_not_found")  # fmt: skip
        # While a pull hangs, its process can be looked at.
        server.stalls = True
        body = {"name": "x", "url": server.url("private"), "username": "reader", "password": password}
        asked = len(server.seen)
        hanging = self.ask("POST", "skills", body, 201)
        self.until(lambda: len(server.seen) > asked, "git never asked")
        self.assertNotEqual(processes_with(server.url("private")), [])
        self.assertEqual(arguments_with(password), [])
        server.stalls = False
        server.release.set()
        self.until(lambda: self.ask("GET", f"skills/{hanging['id']}")["state"] != "cloning", "still cloning")
        self.assertEqual(self.stop_server(), 0)
        said = self.server.stderr.read().decode() + self.server.stdout.read().decode()
        self.assertIn("skill_pulled", said)
        self.assertNotIn(password, said)
        for file in self.folder.rglob("*"):
            if file.is_file():
                self.assertNotIn(password.encode(), file.read_bytes(), file)

    # One secret by its name serves two skills, and is replaced in one place: who failed with the one before is pulled
    # again. Its value is in no answer, no line of the audit trail, no log and no file.
    # Proves: X3, K1
    def test_a_secret_by_its_name(self):
        old, new = ("hunter2-" + os.urandom(8).hex() for _ in range(2))
        server = self.serve_git(credentials=f"reader:{old}")
        commits = [self.make("one"), self.make("two", {"SKILL.md": GOOD, "n.txt": "2"})]
        SETTINGS["LOG_LEVEL"] = "trace"
        self.addCleanup(SETTINGS.update, {"LOG_LEVEL": "error"})
        self.start_server()
        answers = [self.ask("PUT", "secrets/git-token", {"value": old, "description": "Of git"}, 201)]
        who = {"username": "reader", "secret": "git-token"}
        made = [self.add(server.url(name), **who) for name in ("one", "two")]
        self.assertEqual([s["revision"] for s in made], commits, made)
        self.assertEqual([(s["secret"], s["has_password"]) for s in made], [("git-token", False)] * 2)
        # The git server knows another password from here on.
        server.credentials = f"reader:{new}"
        failed = [self.ask("POST", f"skills/{s['id']}/pull?wait=ready") for s in made]
        self.assertEqual([s["error"] for s in failed], ["authentication_failed"] * 2)
        answers.append(self.ask("PUT", "secrets/git-token", {"value": new}))
        self.assertEqual([u["id"] for u in answers[-1]["used_by"]], sorted(s["id"] for s in made))
        self.assertEqual(self.ask("GET", "secrets/git-token"), answers[-1])
        self.ask("GET", "secrets/none", expect=404)

        def are_ready():
            found = [self.ask("GET", f"skills/{s['id']}") for s in made]
            return all(s["state"] == "ready" for s in found) and found

        self.until(are_ready, "nothing was pulled again")
        # While a skill names it, it stays.
        refused = self.ask("DELETE", "secrets/git-token", expect=409)
        self.assertEqual(refused["code"], "SECRET_IN_USE")
        self.assertEqual(refused["skills"], ", ".join(sorted(s["id"] for s in made)))
        # It was given for that URL, and goes to no other one unless it is named again.
        moved = self.ask("PATCH", f"skills/{made[0]['id']}", {"url": server.url("two")})
        self.assertEqual((moved["username"], moved["secret"]), ("reader", ""))
        again = {"url": server.url("one"), "secret": "git-token"}
        self.assertEqual(self.ask("PATCH", f"skills/{made[0]['id']}", again)["secret"], "git-token")
        answers += [failed, moved, refused, self.ask("GET", "secrets"), self.ask("GET", "skills")]
        answers.append(self.ask("GET", "admin/audit"))
        for skill in made:
            self.ask("DELETE", f"skills/{skill['id']}", expect=204)
        self.ask("DELETE", "secrets/git-token", expect=204)
        self.ask("DELETE", "secrets/git-token", expect=404)
        entries = self.ask("GET", "admin/audit")["entries"]
        self.assertEqual([e["action"] for e in entries if e["target"] == "git-token"],
                         ["secret.removed", "secret.stored", "secret.stored"])  # fmt: skip
        self.ask("PUT", "secrets/kept", {"value": new}, 201)
        self.assertEqual(self.stop_server(), 0)
        said = self.server.stderr.read().decode() + self.server.stdout.read().decode()
        self.assertIn("skill_pulled", said)
        for value in (old, new):
            self.assertNotIn(value, json.dumps([answers, entries]))
            self.assertNotIn(value, said)
            for file in self.folder.rglob("*"):
                if file.is_file():
                    self.assertNotIn(value.encode(), file.read_bytes(), file)

    # Admins alone give secrets and see which there are; what can't be one is refused by its field.
    # Proves: X1, X2, K1
    def test_secrets_are_checked(self):
        self.start_server()
        self.make("good")
        for role in ("member", "operator"):
            token = self.ask("POST", "tokens", {"name": role, "role": role}, 201)["token"]
            for method, path in (
                ("GET", "secrets"), ("GET", "secrets/a"), ("PUT", "secrets/a"), ("DELETE", "secrets/a"),
            ):
                body = {"value": "x"} if method == "PUT" else None
                status, _, _ = self.client(token).ask(method, f"/api/v1/{path}", body)
                self.assertEqual(status, 403, (role, method))
        for name in ("A", "-a", "a" * 65, "a%20b"):
            refused = self.ask("PUT", f"secrets/{name}", {"value": "x"}, 422)
            self.assertEqual([e["field"] for e in refused["errors"]], ["name"], name)
        for value in ("", "a\nb", "a\rb", "a\0b", "x" * 4097):
            refused = self.ask("PUT", "secrets/a", {"value": value}, 422)
            self.assertEqual([e["field"] for e in refused["errors"]], ["value"], value[:9])
        self.assertEqual(self.ask("GET", "secrets")["secrets"], [])
        self.ask("PUT", "secrets/a", {"value": "x" * 4096}, 201)
        for field, more in (
            ("secret", {"username": "me", "secret": "a", "password": "x"}),
            ("secret", {"username": "me", "secret": "b"}),
            ("secret", {"username": "me", "secret": "not a name"}),
            ("username", {"secret": "a"}),
        ):
            body = {"name": "x", "url": self.local("good")} | more
            refused = self.ask("POST", "skills", body, 422)
            self.assertEqual([e["field"] for e in refused["errors"]], [field], more)
        skill = self.add(self.local("good"))
        refused = self.ask("PATCH", f"skills/{skill['id']}", {"secret": "a"}, 422)
        self.assertEqual([e["field"] for e in refused["errors"]], ["username"])
        self.ask("PATCH", f"skills/{skill['id']}", {"secret": "a", "username": "me"})
        refused = self.ask("PATCH", f"skills/{skill['id']}", {"secret": "b"}, 422)
        self.assertEqual([e["field"] for e in refused["errors"]], ["secret"])
        self.assertEqual(self.ask("GET", f"skills/{skill['id']}")["secret"], "a")

    # A server that sends elsewhere is not followed, and one that nobody vouches for is not talked to.
    # Proves: K1, X2
    def test_redirects_are_not_followed(self):
        server = self.serve_git()
        self.make("good")
        server.redirect = f"https://localhost:{server.port}"
        self.start_server()
        failed = self.add(server.url("good"))
        self.assertEqual(failed["state"], "failed")
        self.assertIn(failed["error"], ("redirected", "repository_unreachable"))
        self.assertEqual(len(server.seen), 1)
        server.redirect = ""
        self.assertEqual(self.add(server.url("good"))["state"], "ready")
        self.stop_server()
        del SETTINGS["SKILLS_GIT_CA"]
        self.start_server()
        self.assertEqual(self.add(server.url("good"))["error"], "repository_unreachable")

    # A server that takes the request and says nothing costs the deadline, and its git is gone with it. Others are pulled
    # meanwhile.
    # Proves: K1
    def test_a_stalling_server_costs_its_deadline(self):
        server = self.serve_git(stalls=True)
        self.make("good")
        SETTINGS["SKILLS_CLONE_TIMEOUT_SECONDS"] = "5"
        self.start_server()
        hanging = self.ask("POST", "skills", {"name": "x", "url": server.url("good")}, 201)
        self.until(lambda: server.seen, "git never asked")
        self.assertEqual(self.add(self.local("good"))["state"], "ready")
        started = time.monotonic()
        failed = self.until(
            lambda: (s := self.ask("GET", f"skills/{hanging['id']}"))["state"] != "cloning" and s, "hangs"
        )
        self.assertLess(time.monotonic() - started, 3 * 5)
        self.assertEqual((failed["state"], failed["error"]), ("failed", "clone_timed_out"))
        self.assertEqual(processes_with(server.url("good")), [])

    # A server that is killed in the middle of a pull leaves no skill half pulled: the next one makes the pull, and what
    # was left on the disk is gone.
    # Proves: K1
    def test_a_kill_in_the_middle_of_a_pull(self):
        server = self.serve_git(stalls=True)
        commit = self.make("good")
        self.start_server()
        made = self.ask("POST", "skills", {"name": "x", "url": server.url("good")}, 201)
        self.until(lambda: server.seen, "git never asked")
        folder = self.skills_folder() / made["id"]
        self.assertTrue(any(p.name.startswith(".staging-") for p in folder.iterdir()))
        self.kill_server()
        server.stalls = False
        server.release.set()
        self.start_server(port=self.port)
        ready = self.until(
            lambda: (s := self.ask("GET", f"skills/{made['id']}"))["state"] == "ready" and s, "no recovery"
        )
        self.assertEqual(ready["revision"], commit)
        self.until(lambda: [p.name for p in folder.iterdir()] == [commit], "staging is left")

    # Readers see whole revisions while newer ones are pulled under them.
    # Proves: K1
    def test_pulls_while_revisions_are_read(self):
        self.make("moving", {"SKILL.md": GOOD + "0\n", "n.txt": "0"})
        self.start_server()
        made = self.add(self.local("moving"))
        known, client = {made["revision"]: "0\n"}, self.client()
        for i in range(1, 6):
            commit = self.make("moving", {"SKILL.md": GOOD + f"{i}\n", "n.txt": "x" * i})
            known[commit] = f"{i}\n"
            self.ask("POST", f"skills/{made['id']}/pull", expect=202)
            while True:
                status, _, seen = client.ask("GET", f"/api/v1/skills/{made['id']}/files")
                self.assertEqual(status, 200, seen)
                self.assertEqual(seen["body"], known[seen["revision"]])
                self.assertEqual([f["path"] for f in seen["files"]], ["n.txt"])
                if seen["revision"] == commit:
                    break

    # Skills over the command line: added and waited for, listed, pulled, removed.
    # Proves: K1, O5
    def test_the_command_line(self):
        self.start_server()
        commit = self.make("good")
        at = ("--url", f"http://127.0.0.1:{self.port}", "--token", TOKEN)
        added = self.convene(*at, "skills", "add", "Orders", self.local("good"), "--wait", "--json").json()
        self.assertEqual((added["state"], added["revision"]), ("ready", commit))
        self.assertEqual([s["id"] for s in self.convene(*at, "skills", "--json").lines()], [added["id"]])
        shown = self.convene(*at, "skills", "list").out
        self.assertIn("Orders", shown)
        self.assertIn(commit[:12], shown)
        self.make("good", {"SKILL.md": "nothing\n"})
        failed = self.convene(*at, "skills", "pull", "Orders", "--wait", code=1).out
        self.assertIn("skill_file_invalid: SKILL.md", failed)
        self.assertIn("--url", self.convene("skills", code=2).err)
        self.assertIn("URL", self.convene(*at, "skills", "add", "Orders", code=2).err)
        self.assertIn("no skill", self.convene(*at, "skills", "pull", "Nothing", code=3).err)
        self.convene(*at, "skills", "remove", added["id"])
        self.ask("PUT", "secrets/token", {"value": "hunter2"}, 201)
        named = ("skills", "add", "Named", self.local("good"), "--username", "me", "--secret", "token", "--json")
        self.assertEqual(self.convene(*at, *named).json()["secret"], "token")
        self.assertIn("--secret", self.convene(*at, *named, "--password-file", "/dev/null", code=2).err)
        named = self.convene(*at, "skills", "--json").json()
        self.convene(*at, "skills", "remove", named["id"])
        self.assertEqual(self.convene(*at, "skills", "--json").out, "")


    # Secrets over the command line: set from a file, listed without their values, replaced, removed unless they are used.
    # Proves: K1, O5
    def test_secrets_on_the_command_line(self):
        self.start_server()
        at = ("--url", f"http://127.0.0.1:{self.port}", "--token", TOKEN)
        value = self.folder / "value"
        value.write_text("hunter2\n")
        kept = ("secrets", "set", "git", "--value-file", str(value))
        made = self.convene(*at, *kept, "--description", "Reads the shop", "--json").json()
        self.assertEqual((made["name"], made["description"], made["used_by"]), ("git", "Reads the shop", []))
        replaced = self.convene(*at, *kept, "--json").json()
        self.assertEqual(replaced["description"], "Reads the shop")
        self.assertGreaterEqual(replaced["updated_at"], made["updated_at"])
        self.make("good")
        self.convene(*at, "skills", "add", "Orders", self.local("good"), "--username", "me", "--secret", "git")
        shown = self.convene(*at, "secrets").out
        self.assertIn("Reads the shop", shown)
        self.assertIn("used by Orders", shown)
        self.assertNotIn("hunter2", shown + self.convene(*at, "secrets", "--json").out)
        self.assertIn("SECRET_IN_USE", self.convene(*at, "secrets", "remove", "git", code=3).err)
        self.convene(*at, "skills", "remove", "Orders")
        self.assertEqual(self.convene(*at, "secrets", "remove", "git").out.strip(), "removed")
        self.assertEqual(self.convene(*at, "secrets", "--json").out, "")
        # Each fault by its name.
        self.assertIn("--url", self.convene("secrets", code=2).err)
        self.assertIn("NAME", self.convene(*at, "secrets", "remove", code=2).err)
        self.assertIn("--value-file", self.convene(*at, "secrets", "set", "git", code=2).err)
        self.assertIn("--description", self.convene(*at, "secrets", "list", "--description", "x", code=2).err)
        self.assertIn("--value-file", self.convene(*at, "secrets", "set", "git", "--value-file", "none", code=2).err)
        self.assertIn("name", self.convene(*at, "secrets", "set", "a b", "--value-file", str(value), code=3).err)
        value.write_text("two\nlines\n")
        self.assertIn("value", self.convene(*at, *kept, code=3).err)
        self.assertIn("NOT_FOUND", self.convene(*at, "secrets", "remove", "git", code=3).err)


def make_repository_of(folder: Path) -> str:
    """What lies there, as a repository."""
    files = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}
    shutil.rmtree(folder)
    return make_repository(folder, files)


if __name__ == "__main__":
    main()
