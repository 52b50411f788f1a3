#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The commands against a running server: the same answers as on its database, refusals that say what to do, and
# nothing missing or double when the server is killed under them.

import json
import signal
import subprocess
import threading

from served_case import PATIENCE, TOKEN, ServedCase, main

from cli_case import SAMPLE, Ended, dialogue, jsonl  # isort: skip  # served_case makes it importable

KILLS = 3
SENDS = 12
# The server's own organisation, for looking at its database from beside.
DATABASE = ("--organization", "default")


def transcript(*rooms: str) -> bytes:
    """What an export can hold: threads, edits, deletions, visibility, addressees, notices, people, closed rooms."""
    text = lambda body: {"type": "text", "body": body}
    lines = []
    for room in rooms:
        said = {"record": "event", "room": room, "speaker": "ann"}
        edit = lambda n, body: {"type": "edit", "content": {"type": "edit", "target_event_id": n, "new_content": text(body)}}
        gone = {"type": "delete", "target_event_id": "3", "delete_type": "sender"}
        people = [
            {"id": "ann", "display_name": "Ann", "role": "owner", "external_id": "+1", "metadata": {"a": [1.50]}},
            {"id": "bob", "role": "member", "status": "left"},
        ]
        head = {"record": "room", "room": room, "status": "paused", "metadata": {"name": "Ünï"}, "participants": people}
        lines += [
            head,
            said | {"n": 0, "content": text("one 👋"), "metadata": {"k": 1}, "correlation_id": "c"},
            said | {"n": 1, "content": text("two"), "parent": 0, "visibility": "transport", "addressed_to": ["bot"]},
            said | {"n": 2, "content": text("three"), "addressed_to": [], "response_visibility": "none"},
            said | {"n": 3, "content": text("four")},
            said | {"n": 4} | edit("3", "five"),
            said | {"n": 5} | edit("0", "one, edited"),
            said | {"n": 6, "type": "delete", "content": gone},
            {"record": "event", "room": room, "n": 7, "type": "system", "content": {"type": "system", "body": "so be it"}},
            {"record": "event", "room": room, "n": 8, "type": "custom", "content": {"type": "system", "body": "odd"}},
        ]
    return jsonl(*lines)


class Remote(ServedCase):
    """`remote(...)` runs the program against the server, with no database in sight."""

    def settings(self, **more) -> dict:
        address = {"CONVENE_URL": f"http://127.0.0.1:{self.port}", "CONVENE_TOKEN": TOKEN, "DB_URL": "sqlite:///none.db"}
        return address | more

    def start_remote(self, *arguments, env=None, **more):
        return self.start(*arguments, env=self.settings(**(env or {})), **more)

    def remote(self, *arguments, code: int = 0, env=None, **more) -> Ended:
        ended = self.convene(*arguments, code=code, env=self.settings(**(env or {})), **more)
        self.assertFalse((self.folder / "none.db").exists(), "no database is touched")
        return ended

    def local(self, *arguments) -> Ended:
        return self.convene(*DATABASE, *arguments)

    def local_refused(self, *arguments, code: int) -> str:
        return self.convene(*DATABASE, *arguments, code=code).err


class Commands(Remote):
    # What the commands print of a server is, byte for byte, what they print of its database.
    # Proves: S6, R12, R13
    def test_answers_are_those_of_the_database(self):
        self.start_server()
        given = transcript("a", "b") + jsonl({"record": "room", "room": "z", "status": "closed"})
        counts = self.remote("import", "-", "--json", data=given).json()
        self.assertEqual((counts["rooms_created"], counts["events_added"], counts["refused"]), (3, 18, 0))
        for command in (
            ("rooms",),
            ("rooms", "--json"),
            ("rooms", "--status", "closed", "--json"),
            ("tail", "a"),
            ("tail", "a", "--json"),
            ("tail", "a", "--after", 6, "--json"),
            ("export",),
            ("export", "--room", "b"),
            ("dedupe",),
            ("dedupe", "--json"),
        ):
            with self.subTest(command=command):
                asked = self.remote(*command).out
                self.assertNotIn("four", asked)
                if command[0] != "dedupe":  # that one has to write, and the server does
                    self.assertEqual(asked, self.local(*command).out)
        self.assertIn('"action":"noop"', self.remote("dedupe", "--apply", "--json").out)
        self.remote("export", "-o", "out.jsonl")
        self.assertEqual((self.folder / "out.jsonl").read_text(), self.remote("export").out)

    # An import over the network leaves what an import into a database does, and a second one changes nothing.
    # Proves: S6, R8
    def test_an_import_can_be_repeated(self):
        self.start_server()
        first = self.remote("import", SAMPLE, "--json").json()
        self.assertEqual((first["rooms_created"], first["refused"], first["failed"]), (12, 0, 0))
        exported = self.remote("export").out
        second = self.remote("import", SAMPLE, "--json").json()
        self.assertEqual((second["rooms_created"], second["events_added"]), (0, 0))
        self.assertEqual(second["events_known"], first["events_added"])
        self.assertEqual(self.remote("export").out, exported)
        self.convene("import", SAMPLE, db="other.db")
        self.assertEqual(self.export("other.db"), exported)
        # What travels keeps everything, also what was edited and deleted there.
        self.remote("import", "-", data=transcript("a"))
        whole = self.remote("export").out
        self.convene("import", "-", db="third.db", data=whole.encode())
        self.assertEqual(self.export("third.db"), whole)
        again = self.remote("import", "-", "--json", data=whole.encode()).json()
        self.assertEqual((again["events_added"], again["refused"]), (0, 0))

    # More rooms and events than a page has, and answers to what is pages away.
    # Proves: R14
    def test_goes_through_all_pages(self):
        self.start_server()
        rooms = [dialogue(f"r{n:03}", "hello") for n in range(205)]
        self.remote("import", "-", data=jsonl(*rooms, dialogue("long", *map(str, range(520)))))
        listed = [r["external_id"] for r in self.remote("rooms", "--json").lines()]
        self.assertEqual(sorted(listed), sorted([d["dialogue_id"] for d in rooms] + ["long"]))
        self.remote("send", "long", "late answer", "--reply-to", 0)
        self.assertEqual([e["index"] for e in self.remote("tail", "long", "--after", -1, "--json").lines()], list(range(521)))
        self.assertEqual(self.remote("tail", "long", "--after", 519, "--json").lines()[0]["parent_event_id"] != "", True)
        self.assertEqual(self.remote("export").out, self.local("export").out)

    # What operators do to a lane by hand: over the API, and where no server runs on the database.
    # Proves: L11, D8
    def test_lanes(self):
        self.start_server()
        self.remote("send", "--create", "a", "one")
        self.assertEqual(self.remote("lanes", "--json").lines(), [])
        self.assertIn("until", self.remote("lanes", "pause", "a", "--reason", "broken").out)
        self.assertIn("stopped already", self.remote("lanes", "pause", "a", code=3).err)
        room = self.client().ask("GET", "/api/v1/rooms?external_id=a")[2]["rooms"][0]["id"]
        said = {"content": {"type": "text", "body": "two"}}
        self.assertEqual(self.client().ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", said)[0], 201)
        (lane,) = self.remote("lanes", "--json").lines()
        self.assertEqual((lane["room_id"], lane["delivered_index"], lane["lag"]), (room, 0, 1))
        self.assertIsNotNone(lane["paused_at"])
        self.assertIn(room, self.remote("lanes").out)
        self.assertEqual(self.local("lanes", "--json").out, self.remote("lanes", "--json").out)
        self.assertIn("LANE_MOVED", self.remote("lanes", "skip", "a", "--index", 7, code=3).err)
        self.assertIn("index 1", self.remote("lanes", "skip", "a", "--index", 1).out)
        self.assertEqual(self.remote("lanes", "resume", "a", "--json").json()["state"], "running")
        self.assertIn("ROOM", self.remote("lanes", "resume", code=2).err)
        self.assertIn("no room", self.remote("lanes", "resume", "none", code=3).err)
        self.assertIn("--url", self.local_refused("lanes", "skip", "a", code=2))
        self.assertIn("another process", self.local_refused("lanes", "pause", "a", code=4))

        self.assertEqual(self.stop_server(), 0)
        self.local("lanes", "pause", "a")
        self.assertIn("stopped already", self.local_refused("lanes", "pause", "a", code=3))
        self.start_server()
        self.assertEqual(self.client().ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", said)[0], 201)
        self.assertEqual([lane["lag"] for lane in self.remote("lanes", "--json").lines()], [1])
        self.remote("lanes", "resume", "a")

    # Leases are listed, and taken away only when that is confirmed.
    # Proves: L11
    def test_leases(self):
        self.start_server()
        leases = self.remote("leases", "--json").lines()
        self.assertIn("leader", {lease["kind"] for lease in leases})
        name = next(lease["name"] for lease in leases if "retention" in lease["name"])
        self.assertIn(name, self.remote("leases").out)
        worker = self.client().ask("GET", "/api/v1/admin/workers?state=live")[2]["workers"][0]
        known = {key: worker[key] for key in ("incarnation", "host", "is_self")}
        self.assertEqual([lease["worker"] for lease in leases], [known] * len(leases))
        self.assertEqual(self.remote("leases", "--waiting", "--json").lines(), [])
        preview = self.remote("leases", "release", name, code=2)
        self.assertIn("would fall", preview.out)
        self.assertIn("--confirm", preview.err)
        self.assertIn("the duty rests", self.remote("leases", "release", name, "--confirm", "--reason", "test").out)
        entries = self.client().ask("GET", "/api/v1/admin/audit")[2]["entries"]
        details = {"reason": "test", "worker": worker["incarnation"], "confirm": False}
        self.assertEqual([e["details"] for e in entries if e["action"] == "lease.released"], [details])
        self.assertIn("NOT_FOUND", self.remote("leases", "release", "none", "--confirm", code=3).err)
        self.assertIn("--url", self.local_refused("leases", code=2))

    # Proves: R8, R12, R4
    def test_sends(self):
        self.start_server()
        self.assertIn("--create", self.remote("send", "a", "one", code=3).err)
        receipt = self.remote("send", "--create", "a", "one", "--as", "ann", "--json").json()
        self.assertEqual((receipt["event"]["index"], receipt["replayed"], receipt["progress"]), (0, False, "delivered"))
        self.assertEqual(receipt["event"]["source"]["participant_id"], "ann")
        first = self.remote("send", "a", "two", "--key", "k", "--json").json()
        second = self.remote("send", "a", "two", "--key", "k", "--json").json()
        self.assertEqual((second["event"], second["replayed"]), (first["event"], True))
        self.assertIn("--key", self.remote("send", "a", "other", "--key", "k", code=3).err)
        for parent in (1, first["event"]["id"]):
            answer = self.remote("send", "a", "three", "--reply-to", parent, "--json").json()
            self.assertEqual(answer["event"]["parent_event_id"], first["event"]["id"])
        for missing in ("7", "no-such-event"):
            self.assertIn("--reply-to", self.remote("send", "a", "four", "--reply-to", missing, code=3).err)
        self.assertRegex(self.remote("send", "a", "five").out, r"^message 4 in a\b")
        by_id = self.remote("tail", receipt["event"]["room_id"], "--json").lines()
        self.assertEqual(len(by_id), 5)
        self.client().ask("POST", f"/api/v1/rooms/{receipt['event']['room_id']}/close")
        closed = self.remote("send", "a", "six", code=3).err
        self.assertIn("closed", closed)
        self.assertIn("ROOM_CLOSED", closed)

    def test_refusals_end_as_locally(self):
        self.start_server()
        for command in (("tail", "b"), ("tail", "b", "--follow"), ("export", "--room", "b")):
            with self.subTest(command=command):
                refused = self.remote(*command, code=3)
                self.assertIn("ROOM: there is no room 'b'", refused.err)
        self.assertIn("TEXT: nul_character", self.remote("send", "--create", "a", "-", data=b"a\0b", code=3).err)
        self.assertIn("--deliver-to", self.remote("import", SAMPLE, "--deliver-to", "file:x", code=2).err)
        self.assertIn("--organization", self.remote("--organization", "default", "rooms", code=2).err)

    # A token that is not known, or none: the setting is named, and nothing is done.
    # Proves: X1
    def test_a_wrong_token(self):
        self.start_server()
        for token in ("cvt_" + "6" * 43, ""):
            for command in (
                ("rooms",),
                ("tail", "a", "--follow"),
                ("export",),
                ("send", "--create", "a", "x"),
                ("dedupe",),
            ):
                with self.subTest(token=token, command=command):
                    refused = self.remote(*command, env={"CONVENE_TOKEN": token}, code=2)
                    self.assertIn("CONVENE_TOKEN", refused.err)
                    self.assertIn("UNAUTHENTICATED", refused.err)
                    self.assertIn("--token", refused.err)
        self.write("token", TOKEN.encode() + b"\n")
        self.remote("--token-file", "token", "rooms", env={"CONVENE_TOKEN": ""})
        self.assertNotIn(TOKEN, self.remote("--print-config").out)

    # Proves: O5
    def test_doctor_and_version(self):
        self.start_server()
        self.remote("send", "--create", "a", "x")
        report = self.remote("doctor", "--json").json()
        names = [check["name"] for check in report["checks"]]
        self.assertEqual(names, ["server", "ready", "version", "token", "workers", "deliveries", "skips"])
        self.assertEqual({check["status"] for check in report["checks"]}, {report["status"]}, report)
        self.assertIn("answers", self.remote("doctor").out)
        wrong = self.remote("doctor", "--json", env={"CONVENE_TOKEN": "x"}, code=2).json()
        self.assertEqual([c["name"] for c in wrong["checks"]][-1], "token")
        version = self.remote("version", "--json").json()
        self.assertEqual(version["server"]["version"], version["version"])
        self.assertIn(f"server  {version['version']}", self.remote("version").out)
        self.kill_server()
        gone = self.remote("doctor", "--json", code=2).json()
        self.assertEqual([c["name"] for c in gone["checks"]], ["server"])
        self.assertIn("can't be reached", gone["checks"][0]["text"])

    # The flag that was typed goes before the variable that lies around; two flags are one too many.
    def test_which_place_is_meant(self):
        self.start_server()
        self.remote("send", "--create", "there", "x")
        self.convene("send", "--create", "here", "x", db="mine.db")
        mine = self.convene("--db", "sqlite:///mine.db", "rooms", "--json", env=self.settings()).lines()
        self.assertEqual([r["external_id"] for r in mine], ["here"])
        both = self.convene("--db", "sqlite:///mine.db", "--url", f"http://127.0.0.1:{self.port}", "rooms", code=2)
        self.assertIn("--url", both.err)
        self.assertIn("--url", self.convene("--url", "http://127.0.0.1:1", "serve", code=2).err)
        self.assertIn("CONVENE_URL", self.convene("rooms", env={"CONVENE_URL": "localhost:8080"}, code=2).err)
        theirs = self.convene("rooms", "--json", env={"URL": "x", "TOKEN": "y", "DB_URL": "sqlite:///mine.db"}).lines()
        self.assertEqual([r["external_id"] for r in theirs], ["here"])

    def test_nobody_there_and_somebody_else_there(self):
        self.start_server()
        self.remote("send", "--create", "a", "x")
        self.kill_server()
        for command in (("rooms",), ("tail", "a", "--follow"), ("send", "a", "x"), ("export",)):
            with self.subTest(command=command):
                refused = self.remote("--retry-for", "0", *command, code=5)
                self.assertIn("can't be reached", refused.err)
                self.assertIn("--retry-for", refused.err)
        stranger = subprocess.Popen(
            ["python3", "-c", "import http.server as s\n"
             "class H(s.BaseHTTPRequestHandler):\n"
             "    def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b'<html>')\n"
             "    def log_message(self, *a): pass\n"
             "server = s.HTTPServer(('127.0.0.1', 0), H); print(server.server_port, flush=True); server.serve_forever()"],
            stdout=subprocess.PIPE,
        )
        self.addCleanup(self._end, stranger)
        self.port = int(stranger.stdout.readline())
        self.assertIn("not understood", self.remote("rooms", code=5).err)

    # Over TLS the server has to be who the URL says, by an authority that was named.
    # Proves: X3
    def test_tls(self):
        subject = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"]
        made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        for name in ("right", "other"):
            files = ["-keyout", f"{name}.key", "-out", f"{name}.pem"]
            subprocess.run(made + files + subject, cwd=self.folder, check=True, capture_output=True)
        self.start_server("--tls-certificate", "right.pem", "--tls-key", "right.key")
        url = {"CONVENE_URL": f"https://127.0.0.1:{self.port}/"}
        self.remote("--ca-file", "right.pem", "send", "--create", "a", "x", env=url)
        self.assertEqual(len(self.remote("tail", "a", "--json", env=url | {"CONVENE_CA": "right.pem"}).lines()), 1)
        for arguments in (("--ca-file", "other.pem"), ()):
            refused = self.remote(*arguments, "rooms", env=url, code=2)
            self.assertIn("--ca-file", refused.err)


class Killed(Remote):
    def follow(self, *arguments) -> tuple[subprocess.Popen, list, threading.Thread]:
        """A following tail, and the events it has printed so far."""
        process = self.start_remote("tail", *arguments, "--follow", "--json", env={"CONVENE_RETRY_FOR": "60s"})
        events: list[dict] = []

        def read():
            for line in process.stdout:
                events.append(json.loads(line))

        reader = threading.Thread(target=read)
        reader.start()
        self.addCleanup(reader.join)
        self.addCleanup(process.kill)
        return process, events, reader

    # Killed and started again under followers and senders: every message is there once, each follower shows each
    # index once and in order, and Ctrl-C ends it with 0.
    # Proves: R1, R8, R18
    def test_nothing_is_missing_or_double(self):
        self.start_server()
        self.remote("send", "--create", "hall", "first")
        followers = [self.follow("hall", "--after", after) for after in (-1, 0, -1)]
        self.wait_until(lambda: followers[0][1], "the follower shows what is there")
        failures, lock, sent = [], threading.Lock(), []

        def send(sender: int):
            for n in range(SENDS):
                text = f"{sender}:{n}"
                process = self.start_remote("send", "hall", text, "--json", env={"CONVENE_RETRY_FOR": "60s"})
                ended = self.finish(process)
                with lock:
                    if ended.code == 0:
                        sent.append((json.loads(ended.out)["event"]["index"], text))
                    else:
                        failures.append(ended)

        senders = [threading.Thread(target=send, args=(n,)) for n in range(3)]
        for thread in senders:
            thread.start()
        for kill in range(1, KILLS + 1):
            wanted = kill * 3 * SENDS // (KILLS + 1)
            self.wait_until(lambda: len(sent) + len(failures) >= wanted, "some was sent")
            self.kill_server()
            self.start_server(port=self.port)
        for thread in senders:
            thread.join(PATIENCE)
        self.assertEqual(failures, [])
        count = 1 + 3 * SENDS
        stored = self.remote("tail", "hall", "--after", -1, "--json").lines()
        self.assertEqual([e["index"] for e in stored], list(range(count)))
        self.assertEqual({e["index"]: e["content"]["body"] for e in stored[1:]}, dict(sent))
        for (process, events, reader), first in zip(followers, (0, 1, 0)):
            self.wait_until(lambda: len(events) >= count - first, "the follower shows everything")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), 0, "Ctrl-C is how following ends")
            reader.join(PATIENCE)
            self.assertEqual([e["index"] for e in events], list(range(first, count)))
            self.assertEqual(events, stored[first:])

    # A server that stops in order tells its followers, and they come again.
    # Proves: O3, R18
    def test_followers_come_again_after_an_orderly_end(self):
        self.start_server()
        self.remote("send", "--create", "hall", "first")
        _, events, _ = self.follow("hall", "--after", -1)
        self.wait_until(lambda: len(events) == 1, "what is there is shown")
        self.assertEqual(self.stop_server(), 0)
        self.start_server(port=self.port)
        self.remote("send", "hall", "second")
        self.wait_until(lambda: len(events) == 2, "what came is shown")
        self.assertEqual([e["content"]["body"] for e in events], ["first", "second"])

    # Killed in the middle, an import waits for the server and ends as one that was left alone.
    # Proves: R1, R8, S6
    def test_an_import_goes_on(self):
        self.start_server()
        given = self.write("given.jsonl", jsonl(*(dialogue(f"r{n}", *map(str, range(40))) for n in range(20))))
        process = self.start_remote("import", given, "--json", env={"CONVENE_RETRY_FOR": "60s"})

        def has_some() -> bool:
            _, _, page = self.client().ask("GET", "/api/v1/rooms?limit=200")
            return sum(room["event_count"] for room in page["rooms"]) > 100

        self.wait_until(has_some, "some was imported")
        self.kill_server()
        self.start_server(port=self.port)
        ended = self.finish(process)
        self.assertEqual(ended.code, 0, ended.err)
        self.convene("import", given, db="alone.db")
        self.assertEqual(self.remote("export").out, self.export("alone.db"))

    # Ctrl-C ends a command that waits for a server, as the signal says.
    def test_a_waiting_command_can_be_stopped(self):
        self.start_server()
        self.kill_server()
        process = self.start_remote("rooms", env={"CONVENE_RETRY_FOR": "1h", "LOG_LEVEL": "debug"})
        said = b""
        while b"server_asked_again" not in said:
            said = process.stderr.readline()
            self.assertTrue(said, "it waits")
        self.assertEqual(self.interrupt(process).code, 130)


if __name__ == "__main__":
    main()
