#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Webhook channels, incoming webhooks and subscriptions against real receivers: slow ones, broken ones, and a server
# that is killed under them.

import http.client
import json
import time
import uuid

from served_case import PATIENCE, SETTINGS, TOKEN, ServedCase, main, message
from webhook_receiver import Receiver, signed_headers

SETTINGS["OUTGOING_ALLOWED"] = "127.0.0.0/8"


class Channels(ServedCase):
    def setUp(self):
        super().setUp()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def ask(self, method: str, path: str, body=None, expect: int = 200, headers=None):
        status, _, answer = self.client().ask(method, f"/api/v1/{path}", body, headers)
        self.assertEqual(status, expect, answer)
        return answer

    def register(self, path: str, **more) -> dict:
        """A webhook channel whose receiver is a path, attached to nothing yet."""
        wanted = {"type": "webhook", "url": self.receiver.url(path), "name": path, **more}
        made = self.ask("POST", "channels", wanted, 201)
        self.receiver.secrets[path] = made["secret"]
        return made["channel"] | {"secret": made["secret"]}

    def make_room_with(self, name: str, *channels) -> str:
        bound = [{"channel_id": "web"}] + [{"channel_id": one["id"]} for one in channels]
        return self.make_room(name, channels=bound)

    def say(self, room: str, text: str, wait: str = "committed") -> dict:
        return self.ask("POST", f"rooms/{room}/events?wait={wait}", message(text), 201)

    def delivery(self, room: str, event: str, channel: dict) -> dict:
        listed = self.ask("GET", f"rooms/{room}/events/{event}/deliveries")["deliveries"]
        return next(one for one in listed if one["channel_id"] == channel["id"])

    def until(self, look, what: str):
        """Asks until `look()` answers something; what only time brings has a limit, not a sleep of its own."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = look()
            if found:
                return found
            time.sleep(0.05)  # between two looks
        self.fail(what)

    def until_state(self, room: str, event: str, channel: dict, *states: str) -> dict:
        def look():
            one = self.delivery(room, event, channel)
            return one if one["state"] in states else None

        return self.until(look, f"{channel['name']} is not {states}")

    # One receiver hangs, one fails, one takes a message a second; the good one gets everything at once, in order.
    # What became of each is on record, the open breaker and the queue can be seen, and framework events tell of it.
    # Proves: D12, R19
    def test_each_fails_alone(self):
        self.start_server("--set-deadline", "2")
        retry = {"max_retries": 0}
        good = self.register("/good")
        hung = self.register("/hung", attempt_deadline_ms=1000, retry=retry)
        failing = self.register("/failing", retry=retry)
        limited = self.register("/limited", rate_limit={"per_second": 1})
        self.receiver.hanging.add("/hung")
        self.receiver.answers["/failing"] = (500, {})
        rooms = [self.make_room_with(one["name"], one, good) for one in (hung, failing, limited)]

        events = {room: [self.say(room, f"{i}")["id"] for i in range(6)] for room in rooms}
        self.assertTrue(
            self.receiver.wait_for(lambda: len(self.receiver.taken.get("/good", [])) >= 18, PATIENCE)
        )
        for room in rooms:
            got = [b["data"]["event"] for b in self.receiver.bodies("/good")]
            indexes = [e["index"] for e in got if e["room_id"] == room]
            self.assertEqual(indexes, sorted(indexes))
            self.assertEqual(set(indexes), set(range(6)))
        self.assertEqual(self.receiver.refused, [])

        # The failing one: five failures on record, then its breaker holds the sixth back.
        for event in events[rooms[1]][:5]:
            one = self.until_state(rooms[1], event, failing, "failed")
            self.assertEqual((one["attempts"], one["error_code"]), (1, "receiver_failed"))
        self.until_state(rooms[1], events[rooms[1]][5], failing, "deferred")
        shown = self.ask("GET", f"channels/{failing['id']}")["destinations"]
        self.assertEqual(shown, [{"address": "", "breaker": "open", "waiting": 1}])
        opened = [
            n["data"]
            for n in self.ask("GET", "framework-events?limit=500")["framework_events"]
            if n["type"] == "circuit_breaker_opened"
        ]
        self.assertIn({"channel": failing["id"], "address": ""}, opened)

        # The hung one: its own deadline ends each attempt.
        one = self.until_state(rooms[0], events[rooms[0]][0], hung, "failed")
        self.assertIn(one["error_code"], ("no_reply", "delivery_timeout"))

        # The limited one: deferred where the wait is long, nothing dropped, never two within a second.
        self.assertTrue(
            self.receiver.wait_for(lambda: len(self.receiver.taken.get("/limited", [])) >= 6, PATIENCE)
        )
        times = self.receiver.times("/limited")
        self.assertGreater(times[5] - times[0], 4.0)
        indexes = [b["data"]["event"]["index"] for b in self.receiver.bodies("/limited")]
        self.assertEqual(indexes, list(range(6)))
        for event in events[rooms[2]]:
            self.until_state(rooms[2], event, limited, "done")
        figures = self.client().ask("GET", "/metrics")[2].decode()
        self.assertRegex(figures, r"(?m)^convene_circuit_breakers_open [1-9]")
        self.assertRegex(figures, r"(?m)^convene_outbound_waiting [1-9]")

    # A server that is killed while its receivers are down loses nothing: each event arrives, with the same id.
    # Proves: D7, D12
    def test_a_kill_loses_nothing(self):
        self.start_server("--set-deadline", "1")
        slow = self.register("/slow", retry={"max_retries": 50, "base_delay_ms": 200, "factor": 1})
        room = self.make_room_with("hall", slow)
        self.receiver.answers["/slow"] = (503, {"Retry-After": "1"})
        events = [self.say(room, f"{i}")["id"] for i in range(4)]
        self.until_state(room, events[0], slow, "deferred")
        planned = [self.delivery(room, event, slow)["id"] for event in events]
        self.kill_server()
        del self.receiver.answers["/slow"]
        self.start_server(port=self.port)
        self.assertTrue(
            self.receiver.wait_for(
                lambda: set(planned) <= {e[0] for e in self.receiver.taken.get("/slow", [])}, PATIENCE
            )
        )
        for event in events:
            self.until_state(room, event, slow, "done")
        first_seen = list(dict.fromkeys(self.receiver.ids("/slow")))
        self.assertEqual(first_seen, planned)

    # 410 disables the channel with the reason, and nothing more is sent; it can be enabled again.
    # Proves: D12
    def test_a_receiver_that_is_gone(self):
        self.start_server()
        gone = self.register("/gone")
        room = self.make_room_with("hall", gone)
        self.receiver.answers["/gone"] = (410, {})
        event = self.say(room, "one", wait="delivered")["id"]
        self.assertEqual(self.delivery(room, event, gone)["error_code"], "receiver_gone")
        shown = self.ask("GET", f"channels/{gone['id']}")
        self.assertEqual((shown["is_enabled"], shown["disabled_reason"]), (False, "receiver_gone"))
        event = self.say(room, "two", wait="delivered")["id"]
        self.assertEqual(self.delivery(room, event, gone)["error_code"], "channel_disabled")
        del self.receiver.answers["/gone"]
        self.ask("PATCH", f"channels/{gone['id']}", {"is_enabled": True})
        event = self.say(room, "three", wait="delivered")["id"]
        self.assertEqual(self.delivery(room, event, gone)["state"], "done")

    # An address that is not public, and was not allowed, is never connected to.
    # Proves: X2
    def test_private_addresses_are_refused(self):
        SETTINGS["OUTGOING_ALLOWED"] = ""
        self.addCleanup(SETTINGS.update, OUTGOING_ALLOWED="127.0.0.0/8")
        self.start_server()
        inside = self.register("/inside")
        room = self.make_room_with("hall", inside)
        event = self.say(room, "one", wait="delivered")["id"]
        one = self.delivery(room, event, inside)
        self.assertEqual((one["state"], one["error_code"]), ("failed", "address_not_allowed"))
        self.assertEqual(self.receiver.ids("/inside"), [])

    def bring(self, channel: dict, body: dict, secret: str = "", ident: str = "", **more):
        data = json.dumps(body).encode()
        path = f"/api/v1/webhooks/webhook/{channel['id']}{more.pop('path', '')}"
        headers = signed_headers(secret or channel["secret"], ident or str(uuid.uuid4()), data, **more)
        status, _, answer = self.client(token="").ask("POST", path, data, headers | {"Authorization": ""})
        return status, answer

    # A message comes in by a signed request, once whatever is repeated; the answer goes out by the same channel, and
    # what the provider tells of it shows with the delivery.
    # Proves: X2, R6, R8, D12
    def test_there_and_back(self):
        self.start_server()
        crm = self.register("/crm")
        hello = {"sender": "555", "text": "hello"}
        status, first = self.bring(crm, hello, ident="m1")
        self.assertEqual(status, 201, first)
        status, again = self.bring(crm, hello, ident="m1")
        self.assertEqual((status, again["replayed"]), (200, True))
        self.assertEqual(again["event_id"], first["event_id"])
        self.assertEqual(self.bring(crm, hello, age=301)[0], 401)
        self.assertEqual(self.bring(crm, hello, secret="whsec_" + "A" * 43 + "=")[0], 401)
        self.assertEqual(self.client(token="").ask("POST", "/api/v1/webhooks/webhook/" + crm["id"], hello)[0], 401)
        self.assertEqual(self.receiver.ids("/crm"), [])  # not sent back to where it came from

        room = first["room_id"]
        events = self.ask("GET", f"rooms/{room}/events")["events"]
        self.assertEqual([e["content"]["body"] for e in events], ["hello"])
        self.ask("POST", f"rooms/{room}/channels", {"channel_id": "web"}, 201)
        answer = self.say(room, "hello yourself", wait="delivered")["id"]
        self.assertEqual(len(self.receiver.ids("/crm")), 1)
        sent = self.receiver.bodies("/crm")[0]["data"]
        told = {"delivery_id": sent["delivery_id"], "event_id": sent["event"]["id"], "status": "read"}
        self.assertEqual(self.bring(crm, told, path="/status"), (200, {"changed": True}))
        told["status"] = "delivered"
        self.assertEqual(self.bring(crm, told, path="/status"), (200, {"changed": False}))
        self.assertEqual(self.delivery(room, answer, crm)["receipt"]["status"], "read")

        # Both secrets are good while one is replaced, also after a restart.
        made = self.ask("POST", f"channels/{crm['id']}/rotate-secret", {"overlap_seconds": 3600})
        self.assertEqual(self.stop_server(), 0)
        self.start_server(port=self.port)
        self.assertEqual(self.bring(crm, hello)[0], 201)
        self.assertEqual(self.bring(crm, hello, secret=made["secret"])[0], 201)
        made = self.ask("POST", f"channels/{crm['id']}/rotate-secret", {"overlap_seconds": 0})
        self.assertEqual(self.bring(crm, hello)[0], 401)
        self.assertEqual(self.bring(crm, hello, secret=made["secret"])[0], 201)

    def close_room(self, name: str) -> str:
        """Makes framework events: a closed room refuses what is sent to it."""
        room = self.make_room(name)
        self.ask("POST", f"rooms/{room}/close")
        self.ask("POST", f"rooms/{room}/events", message("too late"), 409)
        return room

    # A subscriber gets each framework event at least once and in order, across a kill and a receiver that was down.
    # Proves: R19
    def test_a_subscriber_misses_nothing(self):
        self.start_server()
        url = self.receiver.url("/told")
        made = self.ask("POST", "webhook-subscriptions", {"url": url}, 201)
        self.receiver.secrets["/told"] = made["secret"]
        self.close_room("one")
        self.assertTrue(self.receiver.wait_for(lambda: self.receiver.taken.get("/told"), PATIENCE))
        self.receiver.answers["/told"] = (500, {})
        self.close_room("two")
        subscription = made["subscription"]["id"]
        self.until(
            lambda: self.ask("GET", f"webhook-subscriptions/{subscription}")["failing_since"],
            "no failure is on record",
        )
        self.kill_server()
        self.start_server(port=self.port)
        self.close_room("three")
        del self.receiver.answers["/told"]

        def all_stored():
            listed = self.ask("GET", "framework-events?limit=500")["framework_events"]
            refusals = [n for n in listed if n["type"] == "room_refused_event"]
            return [n["sequence"] for n in listed] if len(refusals) == 3 else None

        stored = self.until(all_stored, "a refusal is not on record")

        def has_all():
            told = [e[1]["data"]["sequence"] for e in self.receiver.taken.get("/told", [])]
            return set(stored) <= set(told)

        self.assertTrue(self.receiver.wait_for(has_all, PATIENCE))
        told = [b["data"]["sequence"] for b in self.receiver.bodies("/told")]
        self.assertEqual(list(dict.fromkeys(told)), stored)
        for ident, body in zip(self.receiver.ids("/told"), self.receiver.bodies("/told")):
            self.assertEqual(ident, f"{subscription}-{body['data']['sequence']}")
        self.assertEqual(self.receiver.refused, [])

    # The stream of framework events goes on behind the last id, also on a server that was killed in between.
    # Proves: R19
    def test_the_stream_resumes(self):
        self.start_server()

        def follow(last: str, count: int) -> list:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                headers = {"Authorization": f"Bearer {TOKEN}", "Last-Event-ID": last}
                connection.request("GET", "/api/v1/framework-events/stream", headers=headers)
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                ids = []
                while len(ids) < count:
                    line = answer.readline().decode()
                    self.assertTrue(line, "the stream ended")
                    if line.startswith("id: "):
                        ids.append(int(line[4:]))
                return ids
            finally:
                connection.close()

        self.close_room("one")
        self.close_room("two")
        self.assertEqual(follow("0", 2), [1, 2])
        self.kill_server()
        self.start_server(port=self.port)
        self.close_room("three")
        self.assertEqual(follow("2", 1), [3])

    # An agent is registered and changed over the API, also by a server that starts again; its key is in no answer and
    # not in the log, and what is wrong with it is named.
    # Proves: A8, A9, X3
    def test_registers_agents(self):
        self.start_server()
        settings = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
        wanted = {"type": "agent", "name": "Helper", "api_key": "sk-very-secret", "agent": settings}
        made = self.ask("POST", "channels", wanted, 201)
        self.assertIsNone(made["secret"])
        agent = made["channel"]
        self.assertTrue(agent["has_api_key"])
        self.assertEqual(agent["agent"]["tools"], [])
        for wrong, field in (
            ({"agent": settings | {"tools": ["sudo"]}}, "agent.tools[0]"),
            ({"url": "https://example.com"}, "url"),
        ):
            refused = self.ask("POST", "channels", wanted | wrong, 422)
            self.assertEqual(refused["errors"][0]["field"], field)
        settings["tools"] = ["add_task", "read_messages"]
        self.ask("PATCH", f"channels/{agent['id']}", {"agent": settings})
        self.ask("POST", f"channels/{agent['id']}/rotate-secret", {}, 409)
        self.stop_server()
        logged = self.server.stderr.read().decode()
        self.start_server()
        shown = self.ask("GET", f"channels/{agent['id']}")
        self.assertEqual(shown["agent"]["tools"], settings["tools"])
        self.assertNotIn("very-secret", json.dumps([made, shown, self.ask("GET", "channels")]))
        self.assertNotIn("very-secret", logged)


if __name__ == "__main__":
    main()
