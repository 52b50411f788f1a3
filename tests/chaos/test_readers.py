#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Many streams on one worker, and readers that do not read: what they cost the database.

import session_invariants
from cluster_case import PATIENCE, SECONDS, main, message
from session_case import ENDS, SessionCase
from session_invariants import Witness

STREAMS = 500 if SECONDS else 100
# A worker's connections: docs/scaling.md.
MOST_CONNECTIONS = 16
# The budget: frames of many runs that a transaction stores, as a part of how many runs stream.
LEAST_SHARED = 10
WINDOW = 2048  # bytes that are on their way to a reader that does not read


class ManyStreams(SessionCase):
    worker_count = 1
    pace = "100ms"
    script = "otherwise\n    say " + "word " * 3000 + "\n"

    def connections(self) -> int:
        return self.database.number("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'convene%'")

    # Several hundred runs stream at once: they share the worker's few connections, and each transaction stores frames of
    # many of them. No transaction is kept open for any.
    # Proves: A7, L4, L5
    def test_share_connections_and_transactions(self):
        self.database.ask(
            "CREATE TABLE flushes (n bigserial, transaction bigint, frames bigint);"
            "CREATE FUNCTION note_flush() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
            " INSERT INTO flushes (transaction, frames) SELECT txid_current(), count(*) FROM stored; RETURN NULL; END $$;"
            "CREATE TRIGGER note_flush AFTER INSERT ON run_frames REFERENCING NEW TABLE AS stored"
            " FOR EACH STATEMENT EXECUTE FUNCTION note_flush()"
        )
        rooms = [self.make_session(f"s{number}") for number in range(STREAMS)]
        streams = [self.start_run(self.first, room, "go on") for room in rooms]
        self.assertEqual({stream.status for stream in streams}, {200})
        for stream in streams:
            self.until_text(stream)
        frames = "SELECT coalesce(sum(frames), 0) FROM flushes"
        start, = self.database.ask("SELECT max(n), sum(frames) FROM flushes")
        wanted = int(start[1]) + 20 * STREAMS
        self.until(lambda: self.database.number(frames) >= wanted, "they do not go on", 2 * PATIENCE)
        used = self.connections()
        stored, transactions = self.database.ask(
            f"SELECT sum(frames), count(DISTINCT transaction) FROM flushes WHERE n > {start[0]}"
        )[0]
        shared = int(stored) / int(transactions)
        self.note(f"{STREAMS} streams: {used} connections, {shared:.0f} frames in a transaction")
        self.assertLessEqual(used, MOST_CONNECTIONS)
        self.assertGreaterEqual(shared, STREAMS / LEAST_SHARED)
        for room in rooms:
            self.ask(self.first, "POST", f"rooms/{room}/agent/cancel", {}, 202)
        for stream in streams:
            self.assertEqual(list(stream.frames())[-1][1]["outcome"], {"type": "cancelled"})
        self.until_turns_end()
        self.assertEqual(session_invariants.all_of(self.database), [])


ROUNDS, CALLS = 5, 16
# More than a socket takes that nobody reads from (about 2 MB), and than a worker keeps for it (1 MiB).
MOST_UNREAD = 4_000_000


class SlowReaders(SessionCase):
    pace = "0ms"
    tools = ("read_messages",)
    script = 'when says "all"\n' + ROUNDS * (CALLS * '    call read_messages {"before": 1}\n' + "    say And again.\n")
    script += "otherwise\n    say Done.\n"

    # The starter of a run and others do not read what they asked for. The run ends all the same, its lease is free soon
    # after, no transaction is kept open, and the session is driven by another worker. When they read at last they get
    # all, those that were cut meanwhile by reading on.
    # Proves: A1, A7, L3
    def test_hold_nothing_up(self):
        witness = Witness(self.database)
        body = {"external_id": "talk", "channels": [{"channel_id": "web"}]}
        room = self.ask(self.first, "POST", "rooms", body, 201)["id"]
        self.ask(self.first, "POST", f"rooms/{room}/events", message("much " * 12_000), 201)
        self.ask(self.first, "POST", f"rooms/{room}/channels", {"channel_id": self.agent}, 201)
        self.open_session(room)
        slow = [self.start_run(self.first, room, "all", window=WINDOW)]
        slow += [self.read_run(self.first, room, window=WINDOW) for _ in range(4)]
        run = self.database.value("SELECT id FROM runs")
        self.until(lambda: self.database.number("SELECT count(*) FROM runs WHERE is_stream_over = 1") == 1, "it ends")
        self.assertGreater(self.database.number("SELECT sum(length(data)) FROM run_frames"), MOST_UNREAD)
        self.until(lambda: not self.driver_of(room), "the session's lease is kept")
        self.assertEqual(
            self.database.ask(
                "SELECT pid, query FROM pg_stat_activity WHERE application_name LIKE 'convene%'"
                " AND xact_start < now() - interval '1 second'"
            ),
            [],
        )
        other = self.start_run(self.second, room, "hello")
        self.assertEqual(list(other.frames())[-1][1]["outcome"], {"type": "success"})
        whole = session_invariants.frames_by_run(self.database)[run]
        for stream in slow:
            self.assertEqual(self.read_to_the_end(stream, room), whole)
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])

    def read_to_the_end(self, stream, room: str) -> list:
        frames, last = [], None
        while True:
            before = last
            for last, event in stream.frames():
                frames.append((int(last.rpartition("-")[2]), event))
            self.assertNotEqual(last, before, "a stream brings nothing")
            if frames[-1][1]["type"] in ENDS:
                return frames
            stream = self.read_run(self.second, room, last)


if __name__ == "__main__":
    main()
