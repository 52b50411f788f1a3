#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Many streams on one worker, and readers that do not read: what they cost the database.

import session_invariants
from cluster_case import PATIENCE, SECONDS, main
from session_case import SessionCase
from session_invariants import Witness

STREAMS = 500 if SECONDS else 100
# A worker's connections: docs/scaling.md.
MOST_CONNECTIONS = 16
# The budget: frames of many runs that a transaction stores, as a part of how many runs stream.
LEAST_SHARED = 10


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


class SlowReaders(SessionCase):
    pace = "0ms"
    window = 2048
    script = """when says "much"
    say $user
otherwise
    say Done.
"""

    def sent(self, worker) -> float:
        lines = worker.ask("GET", "/metrics")[2].decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("convene_sent_bytes_total"))

    # The starter of a run and twenty others do not read what they asked for. The run ends all the same, its lease is free
    # soon after, no transaction is kept open, and the session can be driven by somebody else. When they read at last,
    # they get all.
    # Proves: A1, A7, L3
    def test_hold_nothing_up(self):
        witness = Witness(self.database)
        room = self.make_session("talk")
        text = "much " * 50_000
        before = self.sent(self.first)
        slow = [self.start_run(self.first, room, text, window=self.window)]
        slow += [self.read_run(self.first, room, window=self.window) for _ in range(20)]
        run = self.database.value("SELECT id FROM runs")
        self.until(lambda: self.database.number("SELECT count(*) FROM runs WHERE is_stream_over = 1") == 1, "it ends")
        self.until(lambda: not self.driver_of(room), "the session's lease is kept")
        self.assertEqual(
            self.database.ask(
                "SELECT pid, query FROM pg_stat_activity WHERE application_name LIKE 'convene%'"
                " AND xact_start < now() - interval '1 second'"
            ),
            [],
        )
        bytes_of_all = len(slow) * len(text)
        self.assertLess(self.sent(self.first) - before, bytes_of_all / 2, "they were not slow")
        other = self.start_run(self.second, room, "hello")
        self.assertEqual(list(other.frames())[-1][1]["outcome"], {"type": "success"})
        whole = session_invariants.frames_by_run(self.database)[run]
        for stream in slow:
            self.assertEqual([event for _, event in stream.frames()], [event for _, event in whole])
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])


if __name__ == "__main__":
    main()
