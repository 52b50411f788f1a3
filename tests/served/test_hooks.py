#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Remote hooks against a server of hooks that is real: verdicts, silence, posts back, signatures.

import base64
import hashlib
import hmac
import http.server
import json
import os
import re
import threading

from served_case import PATIENCE, ServedCase, main, message

# How many messages other rooms take while a hook hangs, and from how many senders at once.
MESSAGES = int(os.environ.get("CONVENE_HOOK_MESSAGES", "1000"))
SENDERS = 8
HUNG_ROOMS = 50


class HookServer:
    """Answers each path as a test says; without a script it allows."""

    def __init__(self):
        self.scripts, self.calls = {}, []
        self.seen = threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = {"path": self.path, "headers": dict(self.headers.items()), "body": body}
                call["headers"] = {name.lower(): value for name, value in self.headers.items()}
                call["json"] = json.loads(body)
                with outer.seen:
                    outer.calls.append(call)
                    outer.seen.notify_all()
                script = outer.scripts.get(self.path, lambda call: {"action": "allow"})
                verdict = script(call)
                status, answer = verdict if isinstance(verdict, tuple) else (200, verdict)
                text = json.dumps(answer).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    pass  # whoever asked has given up

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}{path}"

    def wait_for(self, path: str, count: int):
        with self.seen:
            arrived = lambda: [call for call in self.calls if call["path"] == path]
            assert self.seen.wait_for(lambda: len(arrived()) >= count, PATIENCE), f"{path}: {arrived()}"
            return arrived()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def signatures_of(secret: str, call: dict) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    head = f"{call['headers']['webhook-id']}.{call['headers']['webhook-timestamp']}."
    code = hmac.new(key, head.encode() + call["body"], hashlib.sha256).digest()
    return "v1," + base64.b64encode(code).decode()


class Hooks(ServedCase):
    def setUp(self):
        super().setUp()
        self.hooks = HookServer()
        self.addCleanup(self.hooks.close)

    def start_server(self, *arguments, **more):
        super().start_server("--outgoing-allowed", "127.0.0.1", *arguments, **more)

    def add_hook(self, path: str, room: str = "", **more) -> dict:
        base = f"/api/v1/rooms/{room}/hooks" if room else "/api/v1/hooks"
        status, _, hook = self.client().ask("POST", base, {"url": self.hooks.url(path), **more})
        self.assertEqual(status, 201, hook)
        return hook

    def send(self, room: str, text: str, **more):
        path = f"/api/v1/rooms/{room}/events?wait=committed"
        status, _, sent = self.client().ask("POST", path, message(text), **more)
        return status, sent

    def texts_in(self, room: str) -> list:
        _, _, page = self.client().ask("GET", f"/api/v1/rooms/{room}/events?limit=500")
        return [event["content"]["body"] for event in page["events"]]

    def figure(self, name: str) -> int:
        _, _, figures = self.client().ask("GET", "/metrics")
        return int(float(re.search(rf"(?m)^{name} (\S+)$", figures.decode())[1]))

    def wait_until(self, is_true):
        # The server has no event to wait for here: it is asked again until it has gone on.
        for _ in range(int(PATIENCE * 20)):
            if is_true():
                return
            threading.Event().wait(0.05)
        self.fail("it did not come about in time")

    # A hook allows, blocks, modifies and injects; every call is signed with its secret, which is nowhere to be read.
    # Proves: R9, X2, X3
    def test_verdicts(self):
        self.start_server()
        room = self.make_room("hall")
        hook = self.add_hook("/h", room, name="filter")
        self.assertRegex(hook["secret"], r"^whsec_")
        verdicts = {
            "fine": {"action": "allow"},
            "spam": {"action": "block", "reason": "spam"},
            "rude": {
                "action": "modify",
                "content": {"type": "text", "body": "[removed]"},
                "injected": [{"content": {"type": "text", "body": "Stay polite."}}],
            },
        }
        self.hooks.scripts["/h"] = lambda call: verdicts[call["json"]["data"]["event"]["text"]]
        sent = {text: self.send(room, text)[1] for text in verdicts}
        self.assertEqual(sent["fine"]["status"], "accepted")
        self.assertEqual(
            (sent["spam"]["status"], sent["spam"]["blocked_by"], sent["spam"]["block_reason"]),
            ("blocked", hook["id"], "spam"),
        )
        self.assertEqual(sent["rude"]["content"]["body"], "[removed]")
        self.assertEqual(self.texts_in(room), ["fine", "spam", "[removed]", "Stay polite."])
        for call in self.hooks.calls:
            self.assertEqual(call["headers"]["webhook-signature"], signatures_of(hook["secret"], call))
        _, _, shown = self.client().ask("GET", f"/api/v1/rooms/{room}/hooks/{hook['id']}")
        self.assertNotIn("secret", shown)
        self.assertEqual(self.stop_server(), 0)
        key = base64.b64decode(hook["secret"].removeprefix("whsec_"))
        for file in self.folder.rglob("*"):
            if file.is_file():
                self.assertNotIn(hook["secret"].encode(), file.read_bytes(), file)
                self.assertNotIn(key, file.read_bytes(), file)

    # The key of secrets lies beside the database, for its owner alone. Under another key a hook counts as failed
    # until it gets a new secret.
    # Proves: X3
    def test_the_key_of_secrets(self):
        self.start_server()
        room = self.make_room("hall")
        hook = self.add_hook("/h", room, on_failure="fail_closed")
        self.assertEqual(self.send(room, "hello")[1]["status"], "accepted")
        self.assertEqual(self.stop_server(), 0)
        (key,) = self.folder.rglob("*.key")
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        self.assertRegex(key.read_text(), r"^[A-Za-z0-9+/]{43}=\n$")

        other = base64.b64encode(bytes(range(32))).decode()
        self.start_server("--secrets-key", other)
        self.assertEqual(self.send(room, "hello")[1]["block_reason"], "hook_failed")
        rotate = f"/api/v1/rooms/{room}/hooks/{hook['id']}/rotate-secret"
        _, _, rotated = self.client().ask("POST", rotate, {"overlap_seconds": 0})
        self.assertEqual(self.send(room, "hello")[1]["status"], "accepted")
        call = self.hooks.calls[-1]
        self.assertEqual(call["headers"]["webhook-signature"], signatures_of(rotated["secret"], call))
        self.assertEqual(self.stop_server(), 0)

        key.write_text("nonsense\n")
        refused = self.start("--port", 0, "serve")
        self.assertNotEqual(refused.wait(PATIENCE), 0)
        self.assertIn("SECRETS_KEY", refused.stderr.read().decode())

    # While a secret is replaced, calls are signed with both.
    # Proves: X2, X3
    def test_a_secret_is_replaced(self):
        self.start_server()
        room = self.make_room("hall")
        hook = self.add_hook("/h", room)
        rotate = f"/api/v1/rooms/{room}/hooks/{hook['id']}/rotate-secret"
        status, _, rotated = self.client().ask("POST", rotate, {"overlap_seconds": 3600})
        self.assertEqual(status, 200, rotated)
        self.assertNotEqual(rotated["secret"], hook["secret"])
        self.assertIsNotNone(rotated["previous_secret_until"])
        self.send(room, "hello")
        call = self.hooks.calls[-1]
        self.assertEqual(
            call["headers"]["webhook-signature"].split(" "),
            [signatures_of(rotated["secret"], call), signatures_of(hook["secret"], call)],
        )
        status, _, problem = self.client().ask("POST", rotate, {"secret": "simple"})
        self.assertEqual((status, problem["errors"][0]["field"]), (422, "secret"))

    # A hook that hangs in several rooms holds neither their locks nor anything that other rooms need.
    # Proves: R6, R9
    def test_a_hook_that_hangs(self):
        self.start_server()
        release = threading.Event()
        self.addCleanup(release.set)
        hung = [self.make_room(f"hung{i}") for i in range(HUNG_ROOMS)]
        before = {room: self.send(room, "before")[1] for room in hung}
        self.hooks.scripts["/h"] = lambda call: release.wait(PATIENCE) and {"action": "allow"}
        for room in hung:
            self.add_hook("/h", room, deadline_ms=10_000)
        answers = {}
        senders = [
            threading.Thread(target=lambda room=room: answers.update({room: self.send(room, "slow")}))
            for room in hung
        ]
        for sender in senders:
            sender.start()
        self.hooks.wait_for("/h", HUNG_ROOMS)
        self.assertEqual(self.figure("convene_hooks_asking"), HUNG_ROOMS)
        self.assertEqual(self.figure("convene_hooks_asking_in_lock"), 0)

        quick = [self.make_room(f"quick{i}") for i in range(4)]
        refused = []

        def send_share(number):
            client = self.client()
            for i in range(number, MESSAGES, SENDERS):
                path = f"/api/v1/rooms/{quick[i % len(quick)]}/events?wait=committed"
                status, _, sent = client.ask("POST", path, message(f"m{i}"))
                if status != 201:
                    refused.append(sent)

        quick_senders = [threading.Thread(target=send_share, args=(i,)) for i in range(SENDERS)]
        for sender in quick_senders:
            sender.start()
        for sender in quick_senders:
            sender.join()
        self.assertEqual(refused, [])
        stored = sum(
            self.client().ask("GET", f"/api/v1/rooms/{room}")[2]["event_count"] for room in quick
        )
        self.assertEqual(stored, MESSAGES)
        # What needs the lock of a room whose hook hangs gets it.
        client = self.client()
        for room in hung:
            path = f"/api/v1/rooms/{room}/events/{before[room]['id']}?mode=hard"
            self.assertEqual(client.ask("DELETE", path)[0], 200)
        self.assertEqual(self.figure("convene_hooks_asking"), HUNG_ROOMS)
        self.assertEqual(answers, {})
        release.set()
        for sender in senders:
            sender.join(PATIENCE)
        self.assertEqual({status for status, _ in answers.values()}, {201})
        self.assertEqual(self.figure("convene_hooks_asking"), 0)

    # A hook that answers too late, or nonsense, counts by its policy.
    # Proves: R9
    def test_a_hook_that_fails(self):
        self.start_server()
        room = self.make_room("hall")
        hook = self.add_hook("/h", room, deadline_ms=200, on_failure="fail_closed")
        for verdict in ((500, {}), {"action": "perhaps"}, (302, {"action": "allow"})):
            self.hooks.scripts["/h"] = lambda call, verdict=verdict: verdict
            _, sent = self.send(room, "hello")
            self.assertEqual((sent["status"], sent["block_reason"]), ("blocked", "hook_failed"))
        release = threading.Event()
        self.addCleanup(release.set)
        self.hooks.scripts["/h"] = lambda call: release.wait(PATIENCE) and {"action": "allow"}
        self.assertEqual(self.send(room, "late")[1]["block_reason"], "hook_failed")
        path = f"/api/v1/rooms/{room}/hooks/{hook['id']}"
        status, _, changed = self.client().ask("PATCH", path, {"on_failure": "fail_open"})
        self.assertEqual((status, changed["on_failure"]), (200, "fail_open"))
        self.assertEqual(self.send(room, "late")[1]["status"], "accepted")
        _, _, notices = self.client().ask("GET", f"/api/v1/framework-events?room_id={room}&type=hook_failed")
        self.assertEqual(
            [n["data"]["failure"] for n in notices["framework_events"]],
            ["rejected", "bad_verdict", "rejected", "timed_out", "timed_out"],
        )

    # A hook server may post into the room that waits for its answer: staged, and stored behind what it is caused by.
    # Proves: R9, R11, R11a
    def test_a_hook_that_posts_back(self):
        self.start_server()
        room = self.make_room("hall")
        staged = []

        def post_back(call):
            event = call["json"]["data"]["event"]
            if event["chain_depth"] == 0:
                cause = {"Convene-Cause": call["headers"]["convene-cause"]}
                staged.append(self.send(room, "echo of " + event["text"], headers=cause))
            return {"action": "allow"}

        self.hooks.scripts["/h"] = post_back
        self.add_hook("/h", room)
        for i in range(5):
            self.assertEqual(self.send(room, f"m{i}")[0], 201)
        self.assertEqual([status for status, _ in staged], [202] * 5)
        self.assertEqual({answer["progress"] for _, answer in staged}, {"staged"})
        self.wait_until(lambda: len(self.texts_in(room)) == 10)
        _, _, page = self.client().ask("GET", f"/api/v1/rooms/{room}/events")
        index = {event["id"]: event["index"] for event in page["events"]}
        echoes = [event for event in page["events"] if event["caused_by"]]
        self.assertEqual({event["id"] for event in echoes}, {answer["id"] for _, answer in staged})
        for echo in echoes:
            self.assertGreater(echo["index"], index[echo["caused_by"]])
            self.assertEqual(echo["chain_depth"], 1)

    # Two rooms whose hooks post into each other: everything is answered, nothing waits for itself.
    # Proves: R9, R11
    def test_hooks_that_post_in_a_circle(self):
        self.start_server()
        rooms = [self.make_room("left"), self.make_room("right")]

        def post_to(room):
            def post(call):
                event = call["json"]["data"]["event"]
                cause = {"Convene-Cause": call["headers"]["convene-cause"]}
                status, _ = self.send(room, f"{event['chain_depth'] + 1}", headers=cause)
                self.statuses.append(status)
                return {"action": "allow"}

            return post

        self.statuses = []
        for room, other, path in ((rooms[0], rooms[1], "/left"), (rooms[1], rooms[0], "/right")):
            self.hooks.scripts[path] = post_to(other)
            self.add_hook(path, room, deadline_ms=10_000)
        status, _ = self.send(rooms[0], "0")
        self.assertEqual(status, 201)
        # The chain ends with the cascade's budget, which each link divides: the last event is blocked.
        self.wait_until(lambda: sum(len(self.texts_in(room)) for room in rooms) >= 5)
        self.assertTrue(set(self.statuses) <= {201, 202}, self.statuses)
        self.assertIn(202, self.statuses)
        for room in rooms:
            depths = [int(text) for text in self.texts_in(room)]
            self.assertEqual(depths, sorted(depths))
        _, _, notices = self.client().ask("GET", "/api/v1/framework-events?type=hook_failed")
        self.assertEqual(notices["framework_events"], [])

    # A cause that is not ours is refused, and nothing is stored.
    # Proves: R11, X2
    def test_a_cause_that_is_not_ours(self):
        self.start_server()
        room = self.make_room("hall")
        causes = []
        self.hooks.scripts["/h"] = lambda call: causes.append(call["headers"]["convene-cause"]) or {"action": "allow"}
        hook = self.add_hook("/h", room)
        self.send(room, "hello")
        self.client().ask("DELETE", f"/api/v1/rooms/{room}/hooks/{hook['id']}")
        changed = causes[0][:-1] + ("A" if causes[0][-1] != "A" else "B")
        for cause in (changed, "v1.e30.AAAA", "nonsense"):
            status, problem = self.send(room, "forged", headers={"Convene-Cause": cause})
            self.assertEqual((status, problem["code"]), (422, "VALIDATION_ERROR"), cause)
            self.assertEqual(problem["errors"][0]["field"], "Convene-Cause")
        self.assertEqual(self.texts_in(room), ["hello"])
        status, sent = self.send(room, "real", headers={"Convene-Cause": causes[0]})
        self.assertEqual((status, sent["progress"]), (202, "staged"))

    # A serial hook sees the index that its event gets, also when many send at once.
    # Proves: R9
    def test_a_serial_hook(self):
        self.start_server()
        room = self.make_room("hall")
        self.add_hook("/h", room, mode="serial", deadline_ms=2000)
        answers = []
        senders = [threading.Thread(target=lambda i=i: answers.append(self.send(room, f"m{i}"))) for i in range(8)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join(PATIENCE)
        self.assertEqual({status for status, _ in answers}, {201})
        indexes = {event["id"]: event["index"] for _, event in answers}
        asked = {c["json"]["data"]["event"]["id"]: c["json"]["data"]["event"]["index"] for c in self.hooks.calls}
        self.assertEqual(asked, indexes)
        status, _, problem = self.client().ask(
            "POST", f"/api/v1/rooms/{room}/hooks", {"url": self.hooks.url("/h"), "mode": "serial", "deadline_ms": 2001}
        )
        self.assertEqual((status, problem["errors"][0]["field"]), (422, "deadline_ms"))

    # A hook after delivery is told also when the server dies before it was, under the same id.
    # Proves: R9, D7, D11
    def test_a_hook_after_delivery_outlives_a_crash(self):
        self.start_server()
        room = self.make_room("hall")
        release = threading.Event()
        self.addCleanup(release.set)
        self.hooks.scripts["/h"] = lambda call: release.wait(PATIENCE) and {}
        self.add_hook("/h", room, mode="after_delivery", deadline_ms=10_000)
        status, sent = self.send(room, "hello")
        self.assertEqual(status, 201)
        first = self.hooks.wait_for("/h", 1)[0]
        self.kill_server()
        release.set()
        self.hooks.scripts["/h"] = lambda call: {}
        self.start_server()
        second = self.hooks.wait_for("/h", 2)[1]
        self.assertEqual(second["headers"]["webhook-id"], first["headers"]["webhook-id"])
        self.assertEqual(second["json"]["type"], "hook.after_delivery")
        deliveries = f"/api/v1/rooms/{room}/events/{sent['id']}/deliveries"

        def is_done():
            _, _, rows = self.client().ask("GET", deliveries)
            return any(r["kind"] == "hook_after" and r["state"] == "done" for r in rows["deliveries"])

        self.wait_until(is_done)

    # Hooks of the organisation are its admins'; private addresses are refused when they are connected to.
    # Proves: X1, X2
    def test_who_may_and_where_to(self):
        self.start_server()
        room = self.make_room("hall")
        _, _, made = self.client().ask("POST", "/api/v1/tokens", {"name": "t", "role": "member"})
        member = self.client(token=made["token"])
        self.assertEqual(member.ask("GET", "/api/v1/hooks")[0], 403)
        self.assertEqual(self.client().ask("GET", "/api/v1/hooks/absent")[0], 404)
        hook = self.add_hook("/h", on_failure="fail_closed")
        other = self.make_room("other")
        self.assertEqual(self.client().ask("GET", f"/api/v1/rooms/{other}/hooks/{hook['id']}")[0], 404)
        self.assertEqual(self.send(room, "hello")[1]["status"], "accepted")
        self.assertEqual(self.send(other, "hello")[1]["status"], "accepted")
        for url in ("ftp://example.com/", "https://user:pw@example.com/", "example.com"):
            status, _, problem = self.client().ask("PATCH", f"/api/v1/hooks/{hook['id']}", {"url": url})
            self.assertEqual((status, problem["errors"][0]["field"]), (422, "url"), url)
        private = self.hooks.url("/h").replace("127.0.0.1", "127.0.0.2")
        self.assertEqual(self.client().ask("PATCH", f"/api/v1/hooks/{hook['id']}", {"url": private})[0], 200)
        self.assertEqual(self.send(room, "hello")[1]["block_reason"], "hook_failed")
        self.assertEqual(len(self.hooks.calls), 2)
        _, _, trail = self.client().ask("GET", "/api/v1/admin/audit")
        actions = [entry["action"] for entry in trail["entries"] if entry["target"] == hook["id"]]
        self.assertEqual(actions, ["hook.updated", "hook.created"])
        self.assertNotIn("whsec_", json.dumps(trail))


if __name__ == "__main__":
    main()
