#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# `convene export`: the same bytes for the same conversations, wherever they are.

import json
import os
import re

from cli_case import ROOT, SAMPLE, CliCase, dialogue, jsonl, main, read_jsonl

HEADING = {"record": "transcript", "version": 1}

# In the order in which they are written.
EVENT_FIELDS = (
    "record room n speaker type content parent visibility addressed_to response_visibility correlation_id metadata "
    "edited deleted"
).split()


def room(name: str, **fields) -> dict:
    return {"record": "room", "room": name} | fields


def event(name: str, n: int, text: str | None = None, **fields) -> dict:
    said = {} if text is None else {"content": {"type": "text", "body": text}}
    given = {"record": "event", "room": name, "n": n} | said | fields
    return {key: given[key] for key in EVENT_FIELDS if key in given}


def compact(*records) -> str:
    return "".join(json.dumps(r, ensure_ascii=False, separators=(",", ":")) + "\n" for r in records)


class Export(CliCase):
    def assert_travels_unchanged(self, transcript: str):
        """Import it, export it, import that elsewhere, export again: always the same bytes."""
        self.convene("import", "-", data=transcript.encode(), db="one.db")
        self.assertEqual(self.export("one.db"), transcript)
        self.convene("import", "-", data=transcript.encode(), db="two.db")
        self.assertEqual(self.export("two.db"), transcript)
        again = self.convene("import", "-", "--json", data=transcript.encode(), db="one.db").json()
        self.assertEqual((again["events_added"], again["refused"]), (0, 0))
        self.assertEqual(self.export("one.db"), transcript)

    def test_the_sample_travels_unchanged(self):
        self.convene("import", SAMPLE, "--concurrency", 5)
        self.assert_travels_unchanged(self.export())

    # Speakers and texts of the export are those of the file, turn by turn.
    def test_speakers_and_texts_are_those_of_the_input(self):
        self.convene("import", SAMPLE)
        turns: dict[str, list] = {}
        for line in map(json.loads, self.export().splitlines()):
            if line["record"] == "event":
                turns.setdefault(line["room"], []).append((line["speaker"], line["content"]["body"]))
        given = {d["dialogue_id"]: [(t["speaker"], t["text"]) for t in d["turns"]] for d in read_jsonl(SAMPLE)}
        self.assertEqual(turns, given)

    # The example in the description of the format is an export.
    def test_the_documented_example_travels_unchanged(self):
        page = (ROOT / "docs/formats/transcript.md").read_text(encoding="utf-8")
        example = re.findall(r'^    (\{"record".*\})$', page, re.MULTILINE)
        self.assertEqual(len(example), 5)
        self.assert_travels_unchanged("\n".join(example) + "\n")

    # Threads, edits, deletions, metadata, participants, visibility, status: everything that was said survives.
    def test_everything_said_survives(self):
        edit = {"type": "edit", "target_event_id": "0", "new_content": {"type": "text", "body": "final"}}
        gone = {"type": "delete", "target_event_id": "2", "delete_type": "sender", "reason": "typo"}
        notice = {"type": "system", "body": "[Message deleted]", "code": "message_deleted"}
        media = {"type": "media", "url": "https://example.org/a.png", "mime_type": "image/png", "caption": "見て"}
        people = [
            {"id": "ann", "display_name": "Ann", "role": "owner", "metadata": {"n": 1.50}},
            {"id": "bob", "role": "member", "status": "left", "external_id": "+81 3 1234"},
        ]
        self.assert_travels_unchanged(
            compact(
                HEADING,
                room("archive", status="archived"),
                event("archive", 0, "closed long ago", speaker="ann"),
                room("busy", metadata={"topic": "tea", "deep": {"list": [1, 2.0, None]}}, participants=people),
                event("busy", 0, "final", speaker="ann", edited=True),
                event("busy", 1, "a reply", speaker="bob", parent=0),
                event("busy", 2, speaker="ann", content=notice, deleted=True),
                event("busy", 3, speaker="ann", type="edit", content=edit),
                event("busy", 4, speaker="ann", type="delete", content=gone),
                event("busy", 5, speaker="bob", content=media, parent=0, metadata={"k": "v"}),
                event("busy", 6, "for some", speaker="ann", visibility="transport", addressed_to=["bot"]),
                event("busy", 7, "grouped", speaker="ann", response_visibility="none", correlation_id="c-1"),
                event("busy", 8, "said by nobody"),
                event("busy", 9, speaker="bob", type="reaction", content={"type": "text", "body": "👍"}),
                room("empty", status="paused"),
            )
        )

    # An event that refers to one that is not there, or stands in another place, ends its room and is named.
    def test_a_broken_export_is_refused_by_line(self):
        lines = compact(
            HEADING,
            room("a"),
            event("a", 0, "one", speaker="u"),
            event("a", 2, "three", speaker="u"),
            room("b"),
            event("b", 0, "one", speaker="u", parent=5),
            event("c", 0, "stray", speaker="u"),
            room("d"),
            event("d", 0, "one", speaker="u"),
        )
        ended = self.convene("import", "-", data=lines.encode(), code=1)
        self.assertIn("line 4: n: out_of_order", ended.err)
        self.assertIn("line 6: ", ended.err)
        self.assertIn("line 7: room: out_of_order", ended.err)
        self.assertEqual([t for _, t in self.said("a")], ["one"])
        self.assertEqual([t for _, t in self.said("d")], ["one"])

    def test_a_newer_format_is_refused(self):
        ended = self.convene("import", "-", data=compact(HEADING | {"version": 2}).encode(), code=3)
        self.assertIn("line 1: version: unknown_value", ended.err)

    # A room that was closed since is not opened again by an older transcript.
    def test_a_closed_room_is_not_reopened(self):
        transcript = compact(HEADING, room("a", status="closed"), event("a", 0, "one", speaker="u"))
        self.convene("import", "-", data=transcript.encode())
        opened = compact(HEADING, room("a"), event("a", 0, "one", speaker="u"))
        self.convene("import", "-", data=opened.encode())
        self.assertEqual(self.export(), transcript)
        self.convene("send", "a", "two", code=3)

    def test_one_room(self):
        self.convene("import", "-", data=jsonl(dialogue("a", "one"), dialogue("b", "two")))
        lines = self.convene("export", "--room", "b").lines()
        self.assertEqual([l.get("room") for l in lines], [None, "b", "b"])
        self.assertIn("ROOM", self.convene("export", "--room", "c", code=3).err)

    # A file is there whole or not at all.
    def test_a_file_is_replaced_in_one_step(self):
        self.convene("import", SAMPLE)
        self.convene("export", "-o", "out.jsonl")
        self.assertEqual((self.folder / "out.jsonl").read_text(encoding="utf-8"), self.export())
        self.convene("export", "-o", "out.jsonl", "--room", "nowhere", code=3)
        self.assertEqual((self.folder / "out.jsonl").read_text(encoding="utf-8"), self.export())
        self.assertIn("--output", self.convene("export", "-o", "no/out.jsonl", code=6).err)
        self.assertEqual(sorted(p.name for p in self.folder.glob("out*")), ["out.jsonl"])

    # A reader that has had enough is no reason to complain.
    def test_a_closed_pipe_ends_it_quietly(self):
        self.convene("import", SAMPLE)
        reader, writer = os.pipe()
        os.close(reader)
        process = self.start("export", stdout=writer)
        os.close(writer)
        self.assertEqual((process.wait(), process.stderr.read()), (6, b""))


if __name__ == "__main__":
    main()
