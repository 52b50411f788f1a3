#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What the database does for a message, however many rooms there are: the plans of all statements that workers send while
# people write, read and are answered, an agent is asked, and a worker dies.
"""`CONVENE_PLANS_ROOMS` asks for another number of rooms than the usual one, `CONVENE_PLANS_MESSAGES` for so many messages
whose room has to be found. What finding it costs is printed."""

import json
import os
import statistics
import sys
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "chaos"))
from cluster_case import PATIENCE, RECOVERY, ClusterCase, main, message  # noqa: E402
from delivery_log import DeliveryLog  # noqa: E402
from served_case import Client  # noqa: E402
from webhook_receiver import signed_headers  # noqa: E402

import many_rooms  # noqa: E402
import plan_log  # noqa: E402

ROOMS = int(os.environ.get("CONVENE_PLANS_ROOMS", "20000"))
MESSAGES = int(os.environ.get("CONVENE_PLANS_MESSAGES", "50"))
MODELS = 6  # rooms that are copied

# A page of a list, or a set of steps, is the most that anything here looks at.
MOST_ROWS = 100

SCRIPT = """model-script 1
when says "Delete it"
    call request_approval {"title": "Delete it?", "expires_in_seconds": 600000}
otherwise
    call read_messages {}
    say I have looked.
"""

# Pages of the database that finding the room of a message touches, in all of its statements.
MOST_PAGES = 16

# Parts of statements that are not there for a message: what is asked at a start and when a room comes from another worker
# (the whole queue of what waits), what erases an event or looks for what is to be erased, a list of rooms in their order,
# a look at all turns that run.
OTHERS = (
    "FROM outbound_queue GROUP BY channel_id, address",
    "FROM attachments WHERE expires_at IS NOT NULL",
    "DELETE FROM deleted_keys",
    "DELETE FROM inbound_keys",
    "UPDATE inbound_keys SET deleted_at",
    "ORDER BY r.id LIMIT",
    "FROM turns t JOIN workers w",
)

# Through which index the rows of a table are found. Something here looks at each table; of two good ways the planner may
# always take the same.
MEANT = {
    "approvals": {
        "approvals_call", "approvals_due", "approvals_open", "approvals_organization", "approvals_pkey", "approvals_room",
        "approvals_state",
    },
    "attachment_uses": {"attachment_uses_event", "attachment_uses_pkey"},
    "attachment_chunks": {"attachment_chunks_place"},
    "attachments": {"attachments_pkey", "attachments_room"},
    "bindings": {"bindings_open", "bindings_pkey"},
    "deleted_events": {"deleted_events_id"},
    "deleted_keys": {"deleted_keys_pkey"},
    "deliveries": {"deliveries_open", "deliveries_owned", "deliveries_pkey"},
    "delivery_receipts": {"delivery_receipts_pkey"},
    "event_words": {"event_words_pkey"},
    "events": {"events_correlation", "events_id", "events_key", "events_parent", "idx_events_room_index", "events_pkey"},
    "inbound_keys": {"inbound_keys_pkey"},
    "inbound_routes": {"inbound_routes_pkey"},
    "outbound_queue": {"outbound_address", "outbound_due", "outbound_queue_pkey", "outbound_room"},
    "participants": {"participants_pkey"},
    "read_markers": {"read_markers_pkey"},
    "room_cursors": {"room_cursors_pkey", "room_cursors_waiting"},
    "room_metadata": {"room_metadata_pkey"},
    "room_timers": {"room_timers_due", "room_timers_pkey"},
    "rooms": {"rooms_external", "rooms_organization", "rooms_pkey"},
    "runs": {"runs_ended", "runs_pkey", "runs_pruned", "runs_room"},
    "sessions": {"sessions_pkey"},
    "tasks": {"tasks_pkey"},
    "tool_intents": {"tool_intents_call", "tool_intents_pkey", "tool_intents_room", "tool_intents_started"},
    "turns": {
        "turns_due", "turns_id", "turns_next", "turns_organization", "turns_pkey", "turns_room", "turns_running",
        "turns_status", "turns_waiting",
    },
}

FINDING_THE_ROOM = {
    "FROM inbound_routes": "the sender's",
    "FROM bindings WHERE organization_id": "the channel's only one",
}


class CauseLog(DeliveryLog):
    """Keeps what an answer to a delivery is sent with."""

    causes = {}

    def take(self, handler, body: bytes):
        self.causes[handler.path] = handler.headers.get("Convene-Cause", "")
        super().take(handler, body)


class Plans(ClusterCase):
    settings = {"RATE_LIMIT_PER_USER": "1000000"}  # more than anybody sends here

    def setUp(self):
        super().setUp()
        self.log = CauseLog()
        self.addCleanup(self.log.close)
        self.set_for_workers(plan_log.SETTINGS)
        self.plans = plan_log.PlanLog(self.database.server.folder / "log")

    def set_for_workers(self, settings: dict):
        for name, value in settings.items():
            self.database.ask(f"ALTER ROLE app SET {name} = '{value}'")

    # -- what is done

    def bring(self, worker, body: dict, ident: str = "", expect: int = 201, more: str = "", **headers) -> dict:
        """Something from outside."""
        data = json.dumps(body).encode()
        signed = signed_headers(self.secret, ident or str(uuid.uuid4()), data) | {"Authorization": ""} | headers
        status, _, answer = worker.ask("POST", f"/api/v1/webhooks/webhook/{self.channel}{more}", data, signed)
        self.assertEqual(status, expect, answer)
        return answer

    def say(self, worker, room: str, text: str = "hello", wait: str = "delivered", expect: int = 201, **more) -> dict:
        return self.ask(worker, "POST", f"rooms/{room}/events?wait={wait}", message(text, **more), expect)

    def say_at_once(self, worker, room: str, count: int):
        def say(number: int):
            client = Client(worker.port)
            client.ask("POST", f"/api/v1/rooms/{room}/events?wait=delivered", message(f"{number}"))
            client.close()

        for thread in [self.in_background(say, number) for number in range(count)]:
            thread.join(PATIENCE)

    def upload(self, worker, room: str) -> str:
        path = f"/api/v1/rooms/{room}/attachments?filename=a.txt"
        status, _, made = worker.ask("POST", path, b"some text", {"Content-Type": "text/plain"})
        self.assertEqual(status, 201, made)
        return made["url"]

    def everything(self, worker, room: str, key: str):
        """What people do in a room."""
        said = self.say(worker, room, idempotency_key=key)
        self.say(worker, room, idempotency_key=key, expect=200)
        self.say(worker, room, parent_event_id=said["id"])
        self.say_at_once(worker, room, 8)
        events = f"rooms/{room}/events"
        self.ask(worker, "PATCH", f"{events}/{said['id']}", {"content": {"type": "text", "body": "better"}}, 201)
        self.ask(worker, "GET", f"{events}/{said['id']}")
        self.ask(worker, "GET", f"{events}/{said['id']}/deliveries")
        self.ask(worker, "DELETE", f"{events}/{said['id']}", expect=201)
        self.ask(worker, "DELETE", f"{events}/{said['id']}?mode=hard")
        for query in ("after_index=3&limit=5", "before_index=5", "newest_first=true", "type=message",
                      f"parent_event_id={said['id']}", "correlation_id=none"):
            self.ask(worker, "GET", f"{events}?{query}")
        self.ask(worker, "PUT", f"rooms/{room}/read-markers", {"index": 2, "reader": "ann"})
        self.ask(worker, "GET", f"rooms/{room}/read-markers")
        self.ask(worker, "GET", f"rooms/{room}/unread?reader=ann")
        self.ask(worker, "GET", f"rooms/{room}")
        self.ask(worker, "POST", f"rooms/{room}/tasks", {"title": "to do"}, 201)
        named = {"type": "media", "url": self.upload(worker, room), "mime_type": "text/plain"}
        self.ask(worker, "POST", events, {"content": named, "channel_id": "web"}, 201)
        self.upload(worker, room)
        latest = self.ask(worker, "GET", f"{events}?limit=1")["latest_index"]
        self.assertTrue(self.reader(room, ports=[worker.port]).wait_for(latest, PATIENCE))

    def answer(self, worker, room: str):
        """A message is answered while its delivery is under way, and the provider tells what became of it."""
        calls = self.log.called("/room-outside")
        self.log.hold_up("/room-outside")
        said = self.say(worker, room, wait="committed")
        self.assertTrue(self.log.wait_for_call("/room-outside", calls + 1, PATIENCE))
        told = {"sender": "ben", "text": "an answer", "room_id": room}
        self.bring(worker, told, expect=202, **{"Convene-Cause": self.log.causes["/room-outside"]})
        self.log.let_go("/room-outside")
        self.say(worker, room)
        listed = self.ask(worker, "GET", f"rooms/{room}/events/{said['id']}/deliveries")["deliveries"]
        delivery = next(one["id"] for one in listed if one["channel_id"] == self.channel)
        self.bring(worker, {"delivery_id": delivery, "event_id": said["id"], "status": "read"}, expect=200, more="/status")

    def ask_agent(self, worker, room: str):
        """It answers in a run of its session, with a call of a tool."""
        ended = f"SELECT count(*) FROM turns WHERE room_id = '{room}' AND status = 3"
        before = self.database.number(ended)
        said = self.say(worker, room, wait="committed")
        self.until(lambda: self.database.number(ended) == before + 1, "the agent does not answer")
        self.ask(worker, "GET", f"rooms/{room}/events?after_index={said['index']}")
        self.ask(worker, "GET", f"rooms/{room}/session")
        self.ask(worker, "GET", f"rooms/{room}/agent/wakes")

    def leave_something(self, worker, other):
        """A worker dies while a receiver has not answered, and another one goes on."""
        room = self.rooms[0]
        path = self.bound[room]
        self.log.hold_up(path)
        calls = self.log.called(path)
        self.say(worker, room, wait="committed")
        self.assertTrue(self.log.wait_for_call(path, calls + 1, PATIENCE))
        worker.kill()
        self.until_dead(worker.incarnation)
        self.assertTrue(self.log.wait_for_call(path, calls + 2, RECOVERY))
        self.log.let_go(path)
        self.say(other, room)

    # -- where it is done

    def fill(self):
        """A few rooms in which something of everything has happened, and many copies of them."""
        first, = self.start_workers(1)
        wanted = {"type": "webhook", "url": self.log.url("/room-outside"), "name": "outside"}
        made = self.ask(first, "POST", "channels", wanted, 201)
        self.channel, self.secret = made["channel"]["id"], made["secret"]
        self.bring(first, {"sender": "sender", "text": "hello"})
        body = {"external_id": "answered", "channels": [{"channel_id": "web"}, {"channel_id": self.channel}]}
        self.answered = self.ask(first, "POST", "rooms", body, 201)["id"]
        self.rooms = self.make_rooms(1)
        self.asked = self.make_session(first)
        slow, = self.make_rooms(1, name="room-slow", rate_limit={"per_minute": 1})
        for room in (self.answered, *self.rooms, slow):
            self.ask(first, "PATCH", f"rooms/{room}", {"metadata": {"a": 1}, "timers": {"inactive_after_seconds": 86400}})
        for room in (self.answered, *self.rooms):
            self.everything(first, room, "before")
        self.answer(first, self.answered)
        self.say_at_once(first, slow, 8)  # all but one wait in the queue
        self.assertEqual(first.stop(), 0)
        many_rooms.multiply(self.database, ROOMS // MODELS)
        self.empty = {
            table for table in many_rooms.tables_that_grow(self.database)
            if not self.database.number(f"SELECT count(*) FROM (SELECT 1 FROM {table} LIMIT 1) one")
        }
        self.note(f"nothing is said of tables without rows: {', '.join(sorted(self.empty))}")

    def make_session(self, worker) -> str:
        """A room that an agent drives, that has been asked and will wake up once more."""
        settings = {"provider": "scripted", "instructions": SCRIPT, "tools": ["read_messages"]}
        made = self.ask(worker, "POST", "channels", {"type": "agent", "name": "Helper", "agent": settings}, 201)
        agent = made["channel"]["id"]
        body = {"external_id": "asked", "channels": [{"channel_id": "web"}, {"channel_id": agent}]}
        room = self.ask(worker, "POST", "rooms", body, 201)["id"]
        self.ask(worker, "PUT", f"rooms/{room}/session", {"agent": agent})
        self.ask_agent(worker, room)
        self.ask(worker, "POST", f"rooms/{room}/agent/wakes", {"in_seconds": 30_000_000, "text": "hello"}, 201)
        waiting = self.ask(worker, "POST", "rooms", body | {"external_id": "waiting"}, 201)["id"]
        self.ask(worker, "PUT", f"rooms/{waiting}/session", {"agent": agent})
        self.say(worker, waiting, "Delete it", wait="committed")
        self.until(lambda: self.database.number("SELECT count(*) FROM approvals") == 1, "nobody is asked")
        return room

    def use(self):
        # One of those that wait is due.
        self.database.ask("UPDATE outbound_queue SET not_before = 0 WHERE id = (SELECT min(id) FROM outbound_queue)")
        worker, other = self.start_workers(2)
        known = str(uuid.uuid4())
        for sender in ("sender", "sender-7"):
            self.bring(worker, {"sender": sender, "text": "hello"}, ident=known + sender)
        self.bring(worker, {"sender": "sender", "text": "hello"}, ident=known + "sender", expect=200)
        self.bring(worker, {"sender": uuid.uuid4().hex, "text": "hello"})
        for room in (self.answered, self.answered + "-7"):
            self.everything(worker, room, worker.incarnation)
        self.answer(worker, self.answered)
        for room in (self.asked, self.asked + "-7"):
            self.ask_agent(worker, room)
        self.leave_something(worker, other)
        self.assertEqual(other.stop(), 0)

    # -- what is looked at

    def judge(self, mode: str, statements: list) -> set:
        """Everything is found by an index that is meant for it. Answers which were used."""
        grow = {table for table in many_rooms.tables_that_grow(self.database) if table not in self.empty}
        used, wrong = set(), {}
        for one in statements:
            if any(part in one.text for part in OTHERS):
                continue
            for read in (each for each in one.reads() if each.table in grow):
                used.add((read.table, read.index))
                is_meant = read.index in MEANT.get(read.table, ())
                if not is_meant or not read.is_bounded or read.rows > MOST_ROWS:
                    wrong.setdefault(f"{read.table} by {read.index or 'no index'}: {one.text}", one)
        for what, one in wrong.items():
            self.note(f"{what}\n{one}")
        self.problems += [f"{mode}: {what}" for what in wrong]
        return used

    # Whether the server plans each run by its values, or all of them once: no statement on a message's way reads a table from
    # one end to the other, or by an index that was made for something else. Finding the room of a message that names none is
    # a matter of a few pages, with twenty thousand rooms and with a million.
    # Proves: R6
    def test_no_statement_reads_what_it_does_not_need(self):
        self.fill()
        self.look_at_all_statements()
        self.look_at_finding_the_room()

    def look_at_all_statements(self):
        used, self.problems = set(), []
        for mode in ("force_custom_plan", "force_generic_plan"):
            self.set_for_workers({"plan_cache_mode": mode})
            self.plans.skip()
            self.use()
            statements = self.plans.take()
            self.note(f"{mode}: {len(statements)} statements, {len({one.text for one in statements})} different ones")
            used |= self.judge(mode, statements)
        self.assertEqual(self.problems, [])
        self.assertEqual(set(MEANT) - {table for table, _ in used}, set(), "nothing looked at them")

    def look_at_finding_the_room(self):
        self.set_for_workers({"plan_cache_mode": "auto"})
        worker, = self.start_workers(1)
        self.plans.skip()
        for number in range(MESSAGES):
            copy = self.draw.randrange(1, ROOMS // MODELS)
            self.bring(worker, {"sender": f"sender-{copy}", "text": "hello"})
            if number % 10 == 0:
                self.bring(worker, {"sender": uuid.uuid4().hex, "text": "hello"})
        self.assertEqual(worker.stop(), 0)
        statements = self.plans.take()
        rooms = self.database.number("SELECT count(*) FROM rooms")
        for part, what in FINDING_THE_ROOM.items():
            found = [one for one in statements if part in one.text]
            self.assertGreaterEqual(len(found), MESSAGES // 10)
            times = statistics.quantiles([one.milliseconds for one in found], n=100)
            pages = max(one.pages for one in found)
            self.note(
                f"{rooms} rooms, {what}: {len(found)} times, p50 {times[49]:.3f} ms, p99 {times[98]:.3f} ms,"
                f" at most {pages} pages"
            )
            self.assertLessEqual(pages, MOST_PAGES)
            self.assertEqual({read.is_bounded for one in found for read in one.reads()}, {True})


if __name__ == "__main__":
    main()
