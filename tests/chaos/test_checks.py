#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The checks themselves: each finds what it is there for, and the gate does what it says.

import socket

import invariants
import session_invariants
from cluster_case import PATIENCE, ClusterCase, main, message
from session_case import SessionCase
from session_invariants import Witness
from tcp_gate import TO_CLIENT, Gate


class FindsFaults:
    def found_after(self, change: str, check, undo: str):
        """The check finds something when the database was changed, and nothing when it was changed back."""
        self.assertEqual(check(), [])
        self.database.ask(change)
        self.assertNotEqual(check(), [], change)
        self.database.ask(undo)
        self.assertEqual(check(), [], undo)


class Invariants(FindsFaults, ClusterCase):
    def setUp(self):
        super().setUp()
        self.worker = self.make_worker().start()
        self.room, = self.make_rooms(1)
        self.acknowledged = {self.room: {}}
        for number in range(3):
            body = message(f"{number}", idempotency_key=f"k{number}")
            sent = self.ask(self.worker, "POST", f"rooms/{self.room}/events", body, 201)
            self.acknowledged[self.room][f"k{number}"] = sent["index"]
        self.assert_invariants(self.acknowledged)

    def test_each_check_finds_its_fault(self):
        database, room = self.database, f"WHERE room_id = '{self.room}' AND \"index\" = 1"
        for column in ("next_index", "event_count", "latest_index"):
            self.found_after(
                f"UPDATE rooms SET {column} = {column} + 1",
                lambda: invariants.dense(database),
                f"UPDATE rooms SET {column} = {column} - 1",
            )
        self.found_after(
            f"UPDATE events SET room_id = 'elsewhere' {room}",
            lambda: invariants.dense(database),
            f"UPDATE events SET room_id = '{self.room}' WHERE room_id = 'elsewhere'",
        )
        self.found_after(
            f"UPDATE events SET idempotency_key = 'lost' {room}",
            lambda: invariants.stored_once(database, self.acknowledged),
            f"UPDATE events SET idempotency_key = 'k1' {room}",
        )
        self.acknowledged[self.room]["k1"] = 2
        self.assertNotEqual(invariants.stored_once(database, self.acknowledged), [])
        self.found_after(
            "UPDATE room_cursors SET delivered_index = delivered_index - 1",
            lambda: invariants.behind(database),
            "UPDATE room_cursors SET delivered_index = delivered_index + 1",
        )
        for state, check in ((1, invariants.unfinished), (4, invariants.deliveries_failed),
                             (5, invariants.deliveries_failed), (6, invariants.deliveries_failed)):
            self.found_after(
                f"UPDATE deliveries SET state = {state} {room}",
                lambda c=check: c(database),
                f"UPDATE deliveries SET state = 3 {room}",
            )
        self.found_after(
            "INSERT INTO delivery_skips (room_id, from_index, to_index, events, owner, reason, is_replayed, created_at)"
            " VALUES ('r', 0, 0, '[]', 'o', 'poison', 0, 0)",
            lambda: invariants.skips(database),
            "DELETE FROM delivery_skips",
        )
        self.found_after(
            "INSERT INTO workers VALUES ('gone', 3, '', '', 1, 0);"
            f"UPDATE room_cursors SET waits_for = 'gone' WHERE room_id = '{self.room}'",
            lambda: invariants.claims(database),
            f"UPDATE room_cursors SET waits_for = NULL WHERE room_id = '{self.room}';"
            "DELETE FROM workers WHERE incarnation = 'gone'",
        )
        got = self.log.order[self.room]
        for wrong in ([0, 2], [0, 2, 1]):
            self.log.order[self.room] = wrong
            self.assertNotEqual(invariants.received(database, self.log, self.bound), [])
        self.log.order[self.room] = got
        self.log.deliveries[self.room, 1].add("another")
        self.assertNotEqual(invariants.received(database, self.log, self.bound), [])
        self.assertEqual(invariants.locks(database), [])
        database.ask("UPDATE workers SET state = 3")
        self.assertNotEqual(invariants.locks(database), [])


class Sessions(FindsFaults, SessionCase):
    worker_count = 1
    tools = ("add_task",)
    script = 'otherwise\n    call add_task {"title": "$user"}\n    say It is noted.\n'

    def test_each_check_finds_its_fault(self):
        database, witness = self.database, Witness(self.database)
        room = self.make_session("talk")
        for text in ("one", "two"):
            list(self.start_run(self.first, room, text).frames())
        self.until_turns_end()
        run = database.value("SELECT id FROM runs ORDER BY epoch LIMIT 1")
        for table, column, wrong, right in (("turns", "status", 4, 3), ("sessions", "status", 3, 1),
                                            ("runs", "is_stream_over", 0, 1), ("tool_intents", "state", 1, 2)):
            self.found_after(
                f"UPDATE {table} SET {column} = {wrong}",
                lambda: session_invariants.at_rest(database),
                f"UPDATE {table} SET {column} = {right}",
            )
        for what, wrong, right in (("sessions SET driver_epoch = {}", 1, 2),
                                   (f"runs SET epoch = {{}} WHERE id = '{run}'", 2, 1)):
            self.found_after(
                "UPDATE " + what.format(wrong), lambda: session_invariants.epochs(database), "UPDATE " + what.format(right)
            )
        self.check_streams(run)
        self.found_after(
            "UPDATE events SET content = replace(content, 'noted', 'known')",
            lambda: session_invariants.told_is_stored(database),
            "UPDATE events SET content = replace(content, 'known', 'noted')",
        )
        self.found_after(
            "INSERT INTO tasks SELECT room_id, 'again', title, '', '', 1, 0, '{}' FROM tasks LIMIT 1",
            lambda: session_invariants.effects(database),
            "DELETE FROM tasks WHERE id = 'again'",
        )
        self.found_after(
            f"INSERT INTO run_frames VALUES ('{run}', 900, '{{}}')",
            witness.stragglers,
            "DELETE FROM run_frames WHERE number = 900; DELETE FROM witness WHERE writer NOT LIKE 'convene%'",
        )
        self.found_after(
            f"INSERT INTO witness (what, room, run, writer) VALUES ('event', '{room}', '{run}', '')",
            witness.stragglers,
            "DELETE FROM witness WHERE writer = ''",
        )

    def check_streams(self, run: str):
        """A frame that is missing, or another than it was."""
        database = self.database
        for (number,) in database.ask(f"SELECT number FROM run_frames WHERE run_id = '{run}'"):
            self.found_after(
                f"UPDATE run_frames SET number = 900 WHERE run_id = '{run}' AND number = {number}",
                lambda: session_invariants.streams(database),
                f"UPDATE run_frames SET number = {number} WHERE number = 900",
            )
        for check, right, wrong in ((session_invariants.told_is_stored, "noted", "known"),
                                    (session_invariants.streams, "TOOL_CALL_RESULT", "TOOL_CALL_END"),
                                    (session_invariants.streams, "RUN_FINISHED", "RUN_STARTED")):
            self.found_after(
                f"CREATE TABLE kept AS SELECT * FROM run_frames WHERE data LIKE '%{right}%';"
                f"UPDATE run_frames SET data = replace(data, '{right}', '{wrong}')",
                lambda c=check: c(database),
                "UPDATE run_frames f SET data = k.data FROM kept k WHERE f.run_id = k.run_id AND f.number = k.number;"
                "DROP TABLE kept",
            )


class Gates(ClusterCase):
    def setUp(self):
        super().setUp()
        target = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(target.close)
        self.gate = Gate(target.getsockname()[1])
        self.addCleanup(self.gate.close)
        self.near = socket.create_connection(("127.0.0.1", self.gate.port), PATIENCE)
        self.addCleanup(self.near.close)
        self.far, _ = target.accept()
        self.addCleanup(self.far.close)

    def is_silent(self, end: socket.socket) -> bool:
        end.settimeout(0.2)
        try:
            end.recv(1)
        except TimeoutError:
            return True
        finally:
            end.settimeout(PATIENCE)
        return False

    def test_it_does_what_it_says(self):
        self.near.sendall(b"a")
        self.assertEqual(self.far.recv(1), b"a")
        self.gate.freeze(TO_CLIENT)
        self.far.sendall(b"b")
        self.assertTrue(self.is_silent(self.near))
        self.near.sendall(b"c")
        self.assertEqual(self.far.recv(1), b"c")
        self.gate.thaw()
        self.assertEqual(self.near.recv(1), b"b")
        self.gate.freeze()
        self.near.sendall(b"d")
        self.assertTrue(self.is_silent(self.far))
        self.gate.cut()
        self.assertEqual(self.near.recv(1), b"")
        self.far.settimeout(PATIENCE)
        self.assertIn(self.far.recv(2), (b"", b"d"))
        self.gate.thaw()
        self.gate.refuse()
        with socket.create_connection(("127.0.0.1", self.gate.port), PATIENCE) as refused:
            self.assertEqual(refused.recv(1), b"")


if __name__ == "__main__":
    main()
