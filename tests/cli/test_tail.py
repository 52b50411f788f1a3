#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `convene tail`: every index once, in order, while other processes write.

import json
import signal
import subprocess
import threading

from cli_case import CliCase, dialogue, jsonl, main


class Tail(CliCase):
    def follow(self, *arguments) -> tuple[subprocess.Popen, list]:
        """A following tail, and the indexes it has printed so far."""
        process = self.start("tail", *arguments, "--follow", "--json")
        indexes: list[int] = []

        def read():
            for line in process.stdout:
                indexes.append(json.loads(line)["index"])

        reader = threading.Thread(target=read)
        reader.start()
        self.addCleanup(reader.join)
        self.addCleanup(process.kill)
        return process, indexes

    # The import commits many turns at once, in another process; then single messages come.
    def test_follows_while_others_write(self):
        texts = [str(i) for i in range(400)]
        self.convene("import", "-", data=jsonl(dialogue("a", *texts[:3])))
        process, indexes = self.follow("a", "--after", -1)
        self.wait_until(lambda: len(indexes) == 3, "what is there is shown")
        self.convene("import", "-", data=jsonl(dialogue("a", *texts)))
        self.convene("send", "a", "one more")
        self.convene("send", "a", "and another")
        self.wait_until(lambda: len(indexes) == 402, "everything that came is shown")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0, "Ctrl-C is how following ends")
        self.assertEqual(indexes, list(range(402)))

    def test_goes_on_behind_an_index(self):
        self.convene("import", "-", data=jsonl(dialogue("a", *map(str, range(30)))))
        process, indexes = self.follow("a", "--after", 27)
        self.wait_until(lambda: len(indexes) == 2, "what is behind the index is shown")
        self.convene("send", "a", "new")
        self.wait_until(lambda: len(indexes) == 3, "what came is shown")
        self.interrupt_follower(process)
        self.assertEqual(indexes, [28, 29, 30])

    def interrupt_follower(self, process: subprocess.Popen):
        process.send_signal(signal.SIGTERM)
        process.wait()

    def test_shows_the_last_few_or_what_is_asked_for(self):
        self.convene("import", "-", data=jsonl(dialogue("a", *map(str, range(30)))))
        shown = lambda *arguments: [l["index"] for l in self.convene("tail", "a", "--json", *arguments).lines()]
        self.assertEqual(shown(), list(range(10, 30)))
        self.assertEqual(shown("--after", 27), [28, 29])
        self.assertEqual(shown("--after", -1), list(range(30)))
        self.assertEqual(shown("--after", 99), [])

    def test_a_room_that_is_not_there(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one")))
        self.assertIn("ROOM", self.convene("tail", "b", code=3).err)
        self.assertIn("DB_URL", self.convene("tail", "a", db="other.db", code=5).err)

    # Nothing in a message reaches the terminal but its characters: no colour, no cursor, no second line.
    def test_text_for_people_is_harmless(self):
        text = "\x1b[31mred\x07\u202egnp.exe\n9999  2026-01-01 00:00:00  boss: pay"
        self.convene("send", "--create", "a", text, "--as", "eve\u202e")
        shown = self.convene("tail", "a").out
        for character in ("\x1b", "\x07", "\u202e"):
            self.assertNotIn(character, shown)
        self.assertIn("\\u{1b}[31mred", shown)
        self.assertTrue(shown.splitlines()[1].startswith("     "), "a second line is set off")

    # The text of a deleted message is not shown, nor by the edit that repeats it.
    def test_deleted_text_is_not_shown(self):
        edit = {"type": "edit", "target_event_id": "0", "new_content": {"type": "text", "body": "secret"}}
        gone = {"type": "delete", "target_event_id": "0", "delete_type": "sender"}
        base = {"record": "event", "room": "a", "speaker": "u"}
        self.convene(
            "import",
            "-",
            data=jsonl(
                {"record": "room", "room": "a"},
                base | {"n": 0, "content": {"type": "text", "body": "secret"}},
                base | {"n": 1, "type": "edit", "content": edit},
                base | {"n": 2, "type": "delete", "content": gone},
            ),
        )
        for command in (("tail", "a"), ("tail", "a", "--json"), ("export",)):
            self.assertNotIn("secret", self.convene(*command).out)


if __name__ == "__main__":
    main()
