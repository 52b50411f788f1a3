#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `convene send`: one message, once, and every refusal names what is wrong.

from cli_case import CliCase, jsonl, main


class Send(CliCase):
    def test_makes_the_room_only_when_asked_to(self):
        self.assertIn("DB_URL", self.convene("send", "support", "Hello", code=5).err)
        self.assertFalse((self.folder / "test.db").exists())
        self.convene("send", "--create", "support", "Hello")
        ended = self.convene("send", "other", "Hello", code=3)
        self.assertIn("ROOM", ended.err)
        self.assertIn("--create", ended.err)
        self.convene("send", "support", "Is anybody there?", "--as", "ann")
        self.assertEqual(self.said("support"), [("operator", "Hello"), ("ann", "Is anybody there?")])

    def test_answers_with_the_stored_event(self):
        receipt = self.convene("send", "--create", "a", "こんにちは 👋", "--json").json()
        self.assertEqual(receipt["event"]["index"], 0)
        self.assertEqual(receipt["event"]["content"], {"type": "text", "body": "こんにちは 👋"})
        self.assertEqual((receipt["replayed"], receipt["progress"]), (False, "delivered"))
        by_id = self.convene("tail", receipt["event"]["room_id"], "--json").lines()
        self.assertEqual(by_id[0]["id"], receipt["event"]["id"])

    # The same key sends once; with another text, or another speaker, it is refused.
    def test_a_key_sends_once(self):
        first = self.convene("send", "--create", "a", "one", "--key", "k", "--json").json()
        second = self.convene("send", "a", "one", "--key", "k", "--json").json()
        self.assertEqual(second["event"], first["event"])
        self.assertEqual((first["replayed"], second["replayed"]), (False, True))
        self.assertIn("--key", self.convene("send", "a", "two", "--key", "k", code=3).err)
        self.assertIn("--key", self.convene("send", "a", "one", "--as", "ann", "--key", "k", code=3).err)
        self.assertEqual(len(self.said("a")), 1)

    # By index or by id; an answer to an answer stands in the thread of the first message.
    def test_replies(self):
        root = self.convene("send", "--create", "a", "one", "--json").json()["event"]["id"]
        by_index = self.convene("send", "a", "two", "--reply-to", 0, "--json").json()["event"]
        by_id = self.convene("send", "a", "three", "--reply-to", by_index["id"], "--json").json()["event"]
        self.assertEqual((by_index["parent_event_id"], by_id["parent_event_id"]), (root, root))
        for missing in ("7", "no-such-event"):
            self.assertIn("--reply-to", self.convene("send", "a", "four", "--reply-to", missing, code=3).err)
        self.assertEqual(len(self.said("a")), 3)

    def test_a_closed_room_refuses(self):
        self.convene("import", "-", data=jsonl({"record": "room", "room": "a", "status": "closed"}))
        self.assertIn("closed", self.convene("send", "a", "one", code=3).err)
        self.assertEqual(self.said("a"), [])

    def test_reads_the_text_from_standard_input(self):
        text = "x" * 200_000 + "\nあ"
        self.convene("send", "--create", "a", "-", data=text.encode())
        self.assertEqual(self.said("a"), [("operator", text)])

    # Text that can't be stored is refused by field before anything is made.
    def test_refuses_what_is_no_text(self):
        cases = {
            b"a\xffb": "TEXT: invalid_utf8",
            b"a\0b": "TEXT: nul_character",
            b"\xed\xa0\x80": "TEXT: lone_surrogate",
            b"x" * 300_000: "TEXT: too_long",
        }
        for data, message in cases.items():
            with self.subTest(message):
                self.assertIn(message, self.convene("send", "--create", "a", "-", data=data, code=3).err)
        for flag, value in (("--as", "a\nb"), ("--key", "a\tb"), ("--as", ""), ("--key", "k" * 300)):
            with self.subTest(flag=flag, value=value):
                self.assertIn(flag, self.convene("send", "--create", "a", "x", flag, value, code=3).err)
        self.assertFalse((self.folder / "test.db").exists())


if __name__ == "__main__":
    main()
