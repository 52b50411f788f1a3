#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `convene import`: dialogues come in whole, in order and once; bad lines are named, and the rest goes on.

import json
import resource
import signal
import subprocess

from cli_case import SAMPLE, CliCase, dialogue, jsonl, main, read_jsonl


class Import(CliCase):
    def setUp(self):
        super().setUp()
        self.sample = read_jsonl(SAMPLE)

    # Every dialogue is a room: dense indexes, the speakers and texts of the file, its services as metadata.
    def test_every_dialogue_becomes_a_room(self):
        counts = self.convene("import", SAMPLE, "--json").json()
        self.assertEqual(counts["rooms_created"], len(self.sample))
        self.assertEqual(counts["events_added"], sum(len(d["turns"]) for d in self.sample))
        self.assertEqual(counts["refused"], 0)
        for given in self.sample:
            turns = [(t["speaker"], t["text"]) for t in given["turns"]]
            self.assertEqual(self.said(given["dialogue_id"]), turns)
        rooms = {r["external_id"]: r for r in self.convene("rooms", "--json").lines()}
        self.assertEqual(set(rooms), {d["dialogue_id"] for d in self.sample})
        for given in self.sample:
            room = rooms[given["dialogue_id"]]
            self.assertEqual(room["metadata"], {"services": given["services"]})
            self.assertEqual(room["event_count"], len(given["turns"]))
            self.assertEqual(room["delivered_index"], room["latest_index"])

    # The same file again: not a row differs, config versions and times included.
    def test_a_second_import_changes_nothing(self):
        self.convene("import", SAMPLE, "--deliver-to", "file:out.jsonl")
        rooms, exported = self.convene("rooms", "--json").out, self.export()
        delivered = (self.folder / "out.jsonl").read_bytes()
        counts = self.convene("import", SAMPLE, "--deliver-to", "file:out.jsonl", "--json").json()
        self.assertEqual((counts["rooms_created"], counts["events_added"]), (0, 0))
        self.assertEqual(counts["rooms_known"], len(self.sample))
        self.assertEqual(self.convene("rooms", "--json").out, rooms)
        self.assertEqual(self.export(), exported)
        self.assertEqual((self.folder / "out.jsonl").read_bytes(), delivered)

    # A room that grew in the file since gets what is new.
    def test_a_longer_dialogue_is_continued(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one", "two")))
        counts = self.convene("import", "-", "--json", data=jsonl(dialogue("a", "one", "two", "three"))).json()
        self.assertEqual((counts["events_known"], counts["events_added"]), (2, 1))
        self.assertEqual([text for _, text in self.said("a")], ["one", "two", "three"])

    # What somebody said after an import stays, and is no conflict.
    def test_a_room_that_went_on_stays(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one")))
        self.convene("send", "a", "two")
        self.convene("import", "-", data=jsonl(dialogue("a", "one")))
        self.assertEqual([text for _, text in self.said("a")], ["one", "two"])

    # The room holds something else: it is left as it is, and the line is named.
    def test_another_text_is_a_conflict(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one", "two")))
        ended = self.convene("import", "-", data=jsonl(dialogue("a", "one", "other"), dialogue("b", "x")), code=1)
        self.assertIn("line 1: content: differs", ended.err)
        self.assertEqual([text for _, text in self.said("a")], ["one", "two"])
        self.assertEqual([text for _, text in self.said("b")], ["x"])

    # Two lines of one name in one file: the second is compared with the first.
    def test_a_name_twice_in_a_file(self):
        lines = jsonl(dialogue("a", "one"), dialogue("a", "one"), dialogue("a", "one", "two"))
        self.convene("import", "-", data=lines)
        self.assertEqual([text for _, text in self.said("a")], ["one", "two"])

    # Each bad line is named with number and field; the good ones around them are stored.
    def test_bad_lines_are_named_and_the_rest_goes_on(self):
        good = json.dumps(dialogue("good", "one"))
        other = json.dumps(dialogue("other", "one"))
        bad = {
            2: ('{"dialogue_id": "x", "turns": [', "not_json"),
            3: ('{"turns": []}', "dialogue_id: missing_field"),
            4: ('{"dialogue_id": "x"}', "turns: missing_field"),
            5: ('{"dialogue_id": "x", "turns": [{"speaker": "user"}]}', "turns[0].text: missing_field"),
            6: (r'{"dialogue_id": "x", "turns": [{"speaker": "u", "text": "\ud800"}]}', "lone_surrogate"),
            7: ('{"dialogue_id": "x", "turns": [], "extra": 1}', "extra: unknown_field"),
            8: ('{"dialogue_id": "", "turns": []}', "dialogue_id: empty"),
            9: ('{"dialogue_id": "x", "turns": [{"speaker": "u", "text": 7}]}', "turns[0].text: wrong_type"),
            10: ('{"dialogue_id": "x", "turns": "' + 5_000_000 * "y" + '"}', "too_long"),
            11: ('{"record": "wish"}', "record: unknown_value"),
            12: ("[]", "wrong_type"),
        }
        lines = [good, *(text for text, _ in bad.values()), "", other]
        ended = self.convene("import", "-", data="\n".join(lines).encode(), code=1)
        for number, (_, reason) in bad.items():
            line = next((e for e in ended.err.splitlines() if e.startswith(f"line {number}:")), "")
            self.assertIn(reason, line, f"line {number}\n{ended.err}")
        self.assertEqual({r["external_id"] for r in self.convene("rooms", "--json").lines()}, {"good", "other"})

    # Nothing of the input was taken: that is a refusal, not a part.
    def test_nothing_but_bad_lines_is_refused(self):
        self.convene("import", "-", data=b"{\n", code=3)

    def test_a_file_that_is_not_there(self):
        ended = self.convene("import", "nowhere.jsonl", code=3)
        self.assertIn("FILE", ended.err)
        self.assertFalse((self.folder / "test.db").exists())

    # Line ends of other systems and a byte order mark are not part of the text.
    def test_line_ends_and_byte_order_mark(self):
        data = b"\xef\xbb\xbf" + jsonl(dialogue("a", "one"), dialogue("b", "two")).replace(b"\n", b"\r\n")
        self.convene("import", "-", data=data.rstrip())
        self.assertEqual(self.said("a") + self.said("b"), [("user", "one"), ("user", "two")])

    # Every message reaches the file once, each room's in the order of its indexes.
    def test_delivers_to_a_file(self):
        self.convene("import", SAMPLE, "--deliver-to", "file:out.jsonl", "--concurrency", 3)
        rooms = {r["id"]: r["external_id"] for r in self.convene("rooms", "--json").lines()}
        delivered: dict[str, list] = {}
        for line in read_jsonl(self.folder / "out.jsonl"):
            delivered.setdefault(rooms[line["room"]], []).append((line["index"], line["text"]))
        for given in self.sample:
            texts = list(enumerate(t["text"] for t in given["turns"]))
            self.assertEqual(delivered[given["dialogue_id"]], texts)

    # A message of another command goes to the file too: the room is bound to it.
    def test_the_binding_outlives_the_import(self):
        self.convene("import", "-", "--deliver-to", "file:out.jsonl", data=jsonl(dialogue("a", "one")))
        receipt = self.convene("send", "a", "two", "--json").json()
        self.assertEqual([r["state"] for r in receipt["delivery_results"]], ["done"])
        self.assertEqual([l["text"] for l in read_jsonl(self.folder / "out.jsonl")], ["one", "two"])

    # The disk is full half-way (here: no file may grow further): what is stored stays, and says that it is not all;
    # with room again the same import brings the rest.
    def test_a_full_disk(self):
        whole = jsonl(*(dialogue(f"room-{i}", *20 * ["x" * 500]) for i in range(60)))
        ended = self.run_any(
            "import",
            "-",
            "--json",
            data=whole,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
            restore_signals=False,
        )
        self.assertIn(ended.code, (1, 5), ended.err)
        counts = ended.json()
        self.assertGreater(counts["failed"], 0)
        self.assertEqual(counts["refused"], 0)
        self.assertIn("io_failed", ended.err)
        self.convene("import", "-", data=whole)
        self.convene("import", "-", data=whole, db="undisturbed.db")
        self.assertEqual(self.export(), self.export("undisturbed.db"))

    def test_the_folder_of_the_delivery_file_has_to_exist(self):
        self.assertIn("--deliver-to", self.convene("import", SAMPLE, "--deliver-to", "file:no/out", code=2).err)
        self.assertIn("--deliver-to", self.convene("import", SAMPLE, "--deliver-to", "out", code=2).err)

    # While an import runs a second writer is refused by name, and readers work beside it.
    def test_one_process_writes_and_others_read(self):
        running = self.start("import", "-", stdin=subprocess.PIPE)
        running.stdin.write(jsonl(dialogue("a", "one", "two")))
        running.stdin.flush()
        self.wait_until(lambda: self.run_any("tail", "a").out.count("\n") == 2, "both turns are stored")
        refused = self.convene("send", "a", "three", code=4)
        self.assertIn(f"process {running.pid}", refused.err)
        self.convene("import", SAMPLE, code=4)
        self.convene("dedupe", code=4)
        self.assertEqual(len(self.convene("rooms", "--json").lines()), 1)
        self.assertIn('"two"', self.export())
        checks = {c["name"]: c for c in self.convene("doctor", "--json").json()["checks"]}
        self.assertIn(str(running.pid), checks["writer"]["text"])
        self.assertEqual(self.finish(running, b"").code, 0)
        self.convene("send", "a", "three")

    # Ctrl-C: what was read is finished, the database is closed, and the same import goes on later.
    def test_an_interrupted_import_is_continued(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number.name):
                name = number.name
                whole = jsonl(*(dialogue(f"{name}-{i}", "one", "two", "three") for i in range(50)))
                running = self.start("import", "-", stdin=subprocess.PIPE)
                running.stdin.write(whole[: len(whole) // 2])
                running.stdin.flush()
                self.wait_until(lambda: name in self.run_any("rooms").out, "a room is stored")
                ended = self.interrupt(running, number)
                self.assertEqual(ended.code, code, ended.err)
                self.assertIn("stopped", ended.err)
                self.assertEqual(self.run_any("doctor").code, 0)
                self.convene("import", "-", data=whole)
                for i in range(50):
                    self.assertEqual([t for _, t in self.said(f"{name}-{i}")], ["one", "two", "three"])

    # An organisation sees its own rooms only, also where names are the same.
    def test_organisations_do_not_meet(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one")))
        self.convene("--organization", "acme", "import", "-", data=jsonl(dialogue("a", "other")))
        self.assertEqual(self.said("a"), [("user", "one")])
        lines = self.convene("tail", "a", "--json", "--organization", "acme").lines()
        self.assertEqual([l["content"]["body"] for l in lines], ["other"])
        self.assertNotIn("other", self.export())


if __name__ == "__main__":
    main()
