#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `convene doctor` and `convene dedupe`: what is wrong with a database is found, named and repaired.

import os
import sqlite3
import unittest

from cli_case import SAMPLE, CliCase, dialogue, jsonl, main


class Doctor(CliCase):
    def checks(self, code: int, db=None) -> dict[str, dict]:
        return {c["name"]: c for c in self.convene("doctor", "--json", code=code, db=db).json()["checks"]}

    def test_a_sound_database(self):
        self.convene("import", SAMPLE)
        answer = self.convene("doctor", "--json").json()
        self.assertEqual(answer["status"], "ok")
        self.assertEqual(answer["figures"]["rooms"], 12)
        self.assertEqual({c["status"] for c in answer["checks"]}, {"ok"})
        self.assertIn("unique_index", self.convene("doctor").out)

    def test_what_is_no_database(self):
        missing = self.checks(2)
        self.assertEqual(missing["file"]["status"], "problem")
        self.assertIn("--db", missing["file"]["remedy"])
        self.write("test.db", b"this is a letter, not a database\n" * 100)
        foreign = self.checks(2)
        self.assertEqual(foreign["database"]["status"], "problem")
        self.assertTrue(foreign["database"]["remedy"])
        self.assertEqual((self.folder / "test.db").read_bytes()[:16], b"this is a letter")
        (self.folder / "folder.db").mkdir()
        self.assertEqual(self.checks(2, db="folder.db")["file"]["status"], "problem")

    # A database of the time before the unique index, with two events of one index.
    def make_duplicates(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one", "two", "three"), dialogue("b", "x")))
        with sqlite3.connect(self.folder / "test.db") as database:
            database.execute("DROP INDEX idx_events_room_index")
            database.execute('CREATE INDEX idx_events_room_index ON events (room_id, "index")')
            database.execute("""UPDATE events SET "index" = 1 WHERE content LIKE '%three%'""")
        database.close()

    def stored_indexes(self) -> list:
        with sqlite3.connect(self.folder / "test.db") as database:
            rows = database.execute('SELECT id, room_id, "index" FROM events ORDER BY id').fetchall()
        database.close()
        return rows

    def test_duplicates_are_found_and_repaired(self):
        self.make_duplicates()
        found = self.checks(2)["unique_index"]
        self.assertEqual(found["status"], "problem")
        self.assertIn("dedupe", found["remedy"])
        before = self.stored_indexes()
        dry = self.convene("dedupe", "--json").json()
        self.assertEqual(dry, {"action": "dry_run", "duplicate_rows": 1, "affected_rooms": 1, "now_unique": False})
        self.assertEqual(self.stored_indexes(), before, "a dry run changes nothing")
        self.assertIn("--apply", self.convene("dedupe").out)
        done = self.convene("dedupe", "--apply", "--json").json()
        self.assertEqual(done, {"action": "repaired", "duplicate_rows": 1, "affected_rooms": 1, "now_unique": True})
        self.assertEqual(self.convene("dedupe", "--apply", "--json").json()["action"], "noop")
        self.assertEqual(sorted(t for _, t in self.said("a")), ["one", "three", "two"])
        self.convene("send", "a", "four")
        self.assertEqual(len(self.said("a")), 4)
        self.checks(0)

    # Deliveries that a crash left: said, with what to do; the next command that writes goes on with them.
    def test_deliveries_that_wait(self):
        self.convene("import", "-", "--deliver-to", "file:out", data=jsonl(dialogue("a", "one")))
        with sqlite3.connect(self.folder / "test.db") as database:
            database.execute("UPDATE deliveries SET state = 1")
            database.execute("UPDATE room_cursors SET delivered_index = -1")
        database.close()
        self.assertEqual(self.checks(1)["deliveries"]["status"], "warning")
        self.convene("import", "-", data=b"")
        self.checks(0)
        self.assertEqual((self.folder / "out").read_bytes().count(b"\n"), 2)

    @unittest.skipIf(os.geteuid() == 0, "root may write everything")
    def test_a_file_that_can_only_be_read(self):
        self.convene("send", "--create", "a", "one")
        (self.folder / "test.db").chmod(0o400)
        self.assertEqual(self.checks(1)["file"]["status"], "warning")


if __name__ == "__main__":
    main()
