#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Leases over workers: any worker shows who holds what, and takes a name away, also from one that stands still.

import time
from urllib.parse import quote

from cluster_case import PATIENCE, ClusterCase, main, message
from database import ADVISORY, lease_key
from worker import first_line_like

# In which an operator has an answer, whatever the holder does; twice what it takes at most.
ANSWER = 15.0
DUTY = "leader:/outbound"


class Leases(ClusterCase):
    def lease(self, asked, name: str) -> dict | None:
        """As the worker that is asked shows it."""
        listed = self.ask(asked, "GET", "admin/leases")["leases"]
        return next((lease for lease in listed if lease["name"] == name), None)

    def waiters(self, asked, name: str) -> int:
        shown = self.lease(asked, name)
        return shown["waiters"] if shown else -1

    def release(self, asked, name: str, rest: str, expect: int = 200) -> dict:
        started = time.monotonic()
        answer = self.ask(asked, "DELETE", f"admin/leases/{quote(name, safe='')}?{rest}", expect=expect)
        took = time.monotonic() - started
        self.note(f"{rest}: {expect} after {took:.2f} s")
        self.assertLessEqual(took, ANSWER)
        return answer

    def named(self, worker, asked) -> dict:
        """A worker as `admin/workers` of another one names it."""
        known = self.ask(asked, "GET", "admin/workers")["workers"]
        found = next(one for one in known if one["incarnation"] == worker.incarnation)
        return {key: found[key] for key in ("incarnation", "host", "is_self")}

    def holders(self, key: int) -> list[str]:
        """The sessions that have the key, as the database says."""
        held = self.database.ask(f"{ADVISORY} AND l.granted AND l.mode = 'ExclusiveLock'")
        return [row[4] for row in held if int(row[3]) == key]

    def deliver_slowly(self, worker):
        """A room whose delivery hangs at the worker; its claim, and the claim's key."""
        room, = self.make_rooms(1, attempt_deadline_ms=30000)
        path = self.bound[room]
        self.log.hold_up(path)
        sent = self.ask(worker, "POST", f"rooms/{room}/events?wait=committed", message("slow"), 201)
        self.assertEqual(sent["index"], 0)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        organization = self.database.value(f"SELECT organization_id FROM rooms WHERE id = '{room}'")
        return room, path, f"__delivery__:{room}", lease_key("delivery", organization, room)

    # A holder on one worker is seen and taken away through another: it stops, what it did is done again under the
    # same delivery id, and the reason stands in the audit trail.
    # Proves: L11, D3
    def test_taken_away_through_another_worker(self):
        one, other = self.start_workers(2)
        room, path, name, key = self.deliver_slowly(one)
        seen = self.until(lambda: self.lease(other, name), "the claim is not shown")
        self.assertEqual(seen["worker"], self.named(one, other))
        self.assertEqual(self.holders(key), [f"convene {one.incarnation}"])

        preview = self.release(other, name, "dry_run=1")
        self.assertEqual((preview["state"], preview["worker"]), ("dry_run", self.named(one, other)))
        self.assertEqual(self.log.called(path), 1)
        released = self.release(other, name, "reason=it+hangs")
        self.assertEqual(released["state"], "released")
        self.assertIsNotNone(first_line_like(one.log, "lease_taken_away", one.process, PATIENCE))
        self.assertTrue(self.log.wait_for_call(path, 2, PATIENCE), "it was not executed again")
        self.log.let_go(path)
        self.assert_invariants({room: {}})
        self.assertEqual(len(self.log.deliveries[room, 0]), 1, "another delivery id")
        entries = self.ask(one, "GET", "admin/audit")["entries"]
        self.assertEqual(
            [entry["details"] for entry in entries if entry["action"] == "lease.released"],
            [{"reason": "it hangs", "worker": one.incarnation, "confirm": False}],
        )

    # A holder that stands still does not answer: it keeps its leases until an operator confirms that its session is
    # to end. Then they are others'; when it goes on it says what it lost, and changes nothing.
    # Proves: L11, L6, L8, D3
    def test_a_frozen_holder_loses_its_session(self):
        workers = self.start_workers(2)
        duty = self.until(lambda: self.lease(workers[0], DUTY), "nobody is elected")
        one, other = sorted(workers, key=lambda worker: worker.incarnation != duty["holder"])
        room, path, name, key = self.deliver_slowly(one)
        self.until(lambda: self.lease(other, name), "the claim is not shown")
        self.until(lambda: self.waiters(other, DUTY) == 1, "the other one does not wait for the duty")

        one.freeze()
        kept = self.release(other, name, "reason=frozen", expect=409)
        self.assertEqual(kept["code"], "LEASE_NOT_RELEASED")
        self.assertIn(one.incarnation, kept["detail"])
        self.assertEqual(self.holders(key), [f"convene {one.incarnation}"])
        preview = self.release(other, name, "dry_run=1")
        self.assertIn(DUTY, preview["lost_names"])
        self.assertGreaterEqual(preview["lost_with_session"], len(preview["lost_names"]))

        ended = self.release(other, name, "reason=frozen&confirm=1")
        self.assertEqual(ended["state"], "session_ended")
        self.assertNotIn(f"convene {one.incarnation}", self.holders(key))
        duty_key = lease_key("leader", "", "outbound")
        self.until(lambda: self.holders(duty_key) == [f"convene {other.incarnation}"], "the duty rests")

        # The other one goes on with the room, and the frozen one has its answer in hand, too late.
        self.ask(other, "POST", f"admin/lanes/{room}/skip", {"index": 0, "reason": "frozen"})
        self.log.let_go(path)
        self.ask(other, "POST", f"rooms/{room}/events?wait=delivered", message("next"), 201)
        before = self.picture(room)
        one.thaw()
        self.assertIsNotNone(first_line_like(one.log, "lease_session_lost", one.process, PATIENCE))
        self.until_ready(one)
        # By then it has connected again, and waits for the duty as anybody else.
        self.until(lambda: self.waiters(one, DUTY) == 1, "it does not wait for the duty")
        self.assertEqual(self.lease(one, DUTY)["holder"], other.incarnation)
        self.assertEqual(self.holders(duty_key), [f"convene {other.incarnation}"])
        self.assertEqual(self.picture(room), before, "what it did under a lease that it had lost")
        self.assert_nobody_died()
        self.assertEqual(one.current_incarnation(), one.incarnation)

    # A worker that was killed is shown no longer than its death takes to be proven.
    # Proves: L11, L10
    def test_the_dead_hold_nothing(self):
        one, other = self.start_workers(2)
        self.deliver_slowly(one)
        mine = f"SELECT count(*) FROM lease_info WHERE incarnation = '{one.incarnation}'"
        self.until(lambda: self.database.number(mine) > 0, "it shows nothing")
        one.kill()
        self.until_dead(one.incarnation)
        self.until(lambda: self.database.number(mine) == 0, "its lines are left")
        listed = self.ask(other, "GET", "admin/leases")["leases"]
        self.assertEqual({lease["holder"] for lease in listed}, {other.incarnation})

    def picture(self, room: str) -> list:
        """All that the database has of the room, but for who has the claim: a new lease is a new claim."""
        return [
            self.database.ask(f"SELECT {columns} FROM {table} t WHERE {column} = '{room}' ORDER BY 1")
            for columns, table, column in (
                ("t::text", "rooms", "id"), ("t::text", "events", "room_id"), ("t::text", "deliveries", "room_id"),
                ("delivered_index, waits_for, paused_at", "room_cursors", "room_id"),
                ("t::text", "outbound_queue", "room_id"), ("t::text", "delivery_skips", "room_id"),
            )
        ]


if __name__ == "__main__":
    main()
