# SPDX-License-Identifier: Apache-2.0
# What an import of any file of dialogues has to keep, whole or killed on the way; used by the sample and real data.

import json
import os
import random
import signal
from pathlib import Path

from cli_case import CliCase, read_jsonl

KILLS = 10


class ImportChecks(CliCase):
    """Checks on `self.input`, which a test class names."""

    input: Path
    concurrency = 64

    def dialogues(self) -> list[dict]:
        return read_jsonl(self.input)

    def turns(self) -> int:
        return sum(len(d["turns"]) for d in self.dialogues())

    def import_arguments(self) -> list:
        return ["import", self.input, "--deliver-to", "file:out.jsonl", "--concurrency", self.concurrency]

    def exported_events(self, db=None) -> dict[str, list[dict]]:
        rooms: dict[str, list] = {}
        for line in map(json.loads, self.export(db).splitlines()):
            if line["record"] == "room":
                rooms[line["room"]] = []
            elif line["record"] == "event":
                rooms[line["room"]].append(line)
        return rooms

    def check_rooms_are_dense(self):
        """Every room has the indexes 0 to n-1, and everything was delivered."""
        listed = self.convene("rooms", "--json").lines()
        lengths = {d["dialogue_id"]: len(d["turns"]) for d in self.dialogues()}
        self.assertEqual({r["external_id"]: r["event_count"] for r in listed}, lengths)
        for room in listed:
            self.assertEqual(room["latest_index"], room["event_count"] - 1, room["external_id"])
            self.assertEqual(room["delivered_index"], room["latest_index"], room["external_id"])
        for name, events in self.exported_events().items():
            self.assertEqual([e["n"] for e in events], list(range(lengths[name])))

    def check_everything_was_said(self):
        """The export has the speakers and texts of the input, line by line."""
        rooms = self.exported_events()
        for given in self.dialogues():
            said = [(e["speaker"], e["content"]["body"]) for e in rooms[given["dialogue_id"]]]
            self.assertEqual(said, [(t["speaker"], t["text"]) for t in given["turns"]], given["dialogue_id"])

    def check_deliveries(self, repeats_at_most: int):
        """Every message is in the file, each room's in order; what is there twice has the same delivery id.

        A line that a kill cut off is a line of its own, and no delivery.
        """
        names = {r["id"]: r["external_id"] for r in self.convene("rooms", "--json").lines()}
        first: dict[str, tuple] = {}
        rooms: dict[str, list] = {}
        repeats = 0
        for line in (self.folder / "out.jsonl").read_bytes().splitlines():
            try:
                delivered = json.loads(line)
            except ValueError:
                continue
            place = (delivered["room"], delivered["index"])
            said_first = first.setdefault(delivered["delivery"], place)
            self.assertEqual(said_first, place, "a delivery id belongs to one event")
            texts = rooms.setdefault(names[delivered["room"]], [])
            if delivered["index"] < len(texts):
                repeats += 1
                self.assertEqual(delivered["index"], len(texts) - 1, "only the message in flight is repeated")
                self.assertEqual(texts[-1], delivered["text"])
            else:
                self.assertEqual(delivered["index"], len(texts), "in the order of indexes, none left out")
                texts.append(delivered["text"])
        self.assertEqual(rooms, {d["dialogue_id"]: [t["text"] for t in d["turns"]] for d in self.dialogues()})
        self.assertEqual(len(first), self.turns(), "one delivery id for each event")
        self.assertLessEqual(repeats, repeats_at_most)

    def check_whole_import(self):
        counts = self.convene(*self.import_arguments(), "--json").json()
        self.assertEqual((counts["rooms_created"], counts["events_added"]), (len(self.dialogues()), self.turns()))
        self.assertEqual(counts["refused"], 0)
        self.check_rooms_are_dense()
        self.check_everything_was_said()
        self.check_deliveries(repeats_at_most=0)

    def check_second_import_changes_nothing(self):
        rooms, delivered = self.convene("rooms", "--json").out, (self.folder / "out.jsonl").read_bytes()
        counts = self.convene(*self.import_arguments(), "--json").json()
        self.assertEqual((counts["rooms_created"], counts["events_added"], counts["refused"]), (0, 0, 0))
        self.assertEqual(counts["events_known"], self.turns())
        self.assertEqual(self.convene("rooms", "--json").out, rooms)
        self.assertEqual((self.folder / "out.jsonl").read_bytes(), delivered)

    def check_export_travels_unchanged(self):
        exported = self.export()
        self.convene("import", "-", data=exported.encode(), db="elsewhere.db")
        self.assertEqual(self.export("elsewhere.db"), exported)

    def kill_when_delivered(self, lines: int):
        """Starts the import and kills it -9 once the file has that many more lines."""
        out = self.folder / "out.jsonl"
        out.touch()
        process = self.start(*self.import_arguments())
        with out.open("rb") as delivered:
            delivered.seek(0, os.SEEK_END)
            seen = 0

            def has_enough() -> bool:
                nonlocal seen
                seen += delivered.read().count(b"\n")
                return seen >= lines or process.poll() is not None

            self.wait_until(has_enough, "enough was delivered")
        process.send_signal(signal.SIGKILL)
        self.assertEqual(self.finish(process).code, -signal.SIGKILL, "the kill hit a running import")

    def check_killed_imports(self):
        """Killed ten times, anywhere, and started again each time: nothing is missing, nothing is there twice."""
        seed = random.randrange(1 << 32)
        print(f"kills at random places, seed {seed}")
        places = random.Random(seed)
        for _ in range(KILLS):
            self.kill_when_delivered(places.randrange(1, self.turns() // (KILLS + 2)))
        self.convene(*self.import_arguments())
        self.check_rooms_are_dense()
        self.check_everything_was_said()
        self.check_deliveries(repeats_at_most=KILLS * self.concurrency)
        self.assertEqual(self.run_any("doctor").code, 0)
        return self.export()
