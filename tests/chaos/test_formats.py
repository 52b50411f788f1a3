#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Workers of two releases on one database: the older leaves what the newer planned to the newer, who reads both.

import time
from pathlib import Path

from cluster_case import PATIENCE, RECOVERY, ClusterCase, main, message
from run_stream import Stream
from served_case import program

SCRIPT = """model-script 1
pace 20ms
when says "slow"
    say One moment, I have to look.
    wait 3s
    say Here it is.
otherwise
    say You said: $user
"""

# How long the older one gets to do what it must not. It looks for work that a dead worker left every 0.5 s.
TEMPTED = 4.0


def older() -> str:
    """The program of the release before, which is built beside this one."""
    return str(Path(program()).with_name("convene_previous"))


class Formats(ClusterCase):
    def make_older(self):
        made = self.make_worker()
        made.program = older()
        return made

    def start_both(self):
        old, new = self.make_older().start(), self.make_worker().start()
        self.assertEqual(self.format_of(old) + 1, self.format_of(new))
        return old, new

    def format_of(self, worker) -> int:
        return self.database.number(f"SELECT format FROM workers WHERE incarnation = '{worker.incarnation}'")

    def taken(self, comparison: str) -> int:
        """Deliveries whose executor's format compares so with that of who planned them."""
        return self.database.number(
            "SELECT count(*) FROM deliveries d JOIN events e ON e.id = d.event_id AND e.room_id = d.room_id"
            " JOIN workers executor ON executor.incarnation = d.committed_by"
            " JOIN workers planner ON planner.incarnation = e.committed_by"
            f" WHERE executor.format {comparison} planner.format"
        )

    def assert_each_did_its_own(self, acknowledged: dict):
        self.assert_invariants(acknowledged)
        self.assertEqual(self.taken("<"), 0, "an older worker executed what a newer one planned")
        self.note(f"newer workers executed {self.taken('>')} deliveries that older ones had planned")

    def restart(self, worker, path: str):
        """After its process has ended, however it did: its death is on record, sooner or later."""
        self.expected_dead.add(worker.incarnation)
        worker.program = path
        worker.start()

    # The newer one is killed in the middle of a delivery. The older one finds it dead, and leaves what it planned where it
    # is: in front of the cursor, not tried, not skipped, and its own event of the room behind it. It goes on serving
    # other rooms. The next newer worker delivers all of it, in order.
    # Proves: D2, D3, D7, R1, R8
    def test_the_older_leaves_it_to_the_newer(self):
        old, new = self.start_both()
        room, other = self.make_rooms(2, attempt_deadline_ms=30000)
        path, acknowledged = self.bound[room], {room: {}, other: {}}
        self.log.hold_up(path)
        for number, worker in enumerate((new, new, old)):
            sent = self.send(worker, room, number)
            acknowledged[room][f"k{number}"] = sent["index"]
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        new.kill()
        self.until_dead(new.incarnation)
        self.log.let_go(path)
        acknowledged[room]["k3"] = self.send(old, room, 3)["index"]

        time.sleep(TEMPTED)  # is what is tried here
        self.assertEqual(self.log.called(path), 1)
        self.assertEqual(
            self.database.value(f"SELECT delivered_index FROM room_cursors WHERE room_id = '{room}'"), "-1"
        )
        self.assertEqual(self.database.ask("SELECT * FROM delivery_skips"), [])
        body = message("beside", idempotency_key="k")
        beside = self.ask(old, "POST", f"rooms/{other}/events?wait=delivered", body, 201)
        self.assertEqual(beside["progress"], "delivered")
        acknowledged[other]["k"] = beside["index"]

        started = time.monotonic()
        self.restart(new, program())
        self.assertTrue(self.log.wait_for(lambda: self.log.order.get(room) == [0, 1, 2, 3], RECOVERY), "not delivered")
        self.note(f"delivered {time.monotonic() - started:.2f} s after a newer worker was started")
        self.assert_each_did_its_own(acknowledged)

    # The older one is killed: the newer one reads what it planned, and delivers it.
    # Proves: D3, D7, R8
    def test_the_newer_reads_the_older(self):
        old, new = self.start_both()
        room, = self.make_rooms(1, attempt_deadline_ms=30000)
        path = self.bound[room]
        self.log.hold_up(path)
        sent = self.send(old, room, 0)
        self.assertTrue(self.log.wait_for_call(path, 1, PATIENCE))
        old.kill()
        self.until_dead(old.incarnation)
        self.log.let_go(path)
        self.assertTrue(self.log.wait_for_call(path, 2, RECOVERY), "its delivery was not taken over")
        self.assert_each_did_its_own({room: {"k0": sent["index"]}})
        self.assertEqual(self.taken(">"), 1)

    def send(self, worker, room: str, number: int) -> dict:
        body = message(f"{number}", idempotency_key=f"k{number}")
        return self.ask(worker, "POST", f"rooms/{room}/events?wait=committed", body, 201)

    # Both are written to, in the same rooms, and killed in turn.
    # Proves: D1, D2, D3, D7, R1, R8
    def test_each_is_killed_under_load(self):
        old, new = self.start_both()
        rooms = self.make_rooms(8)
        traffic = self.traffic(rooms, 12, hot=rooms[0]).start()
        for worker in (new, old, new):
            traffic.wait_for(100, PATIENCE)
            worker.kill()
            self.until_dead(worker.incarnation)
            self.restart(worker, worker.program)
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_each_did_its_own(traffic.acknowledged)

    # The newer one is killed in the middle of a run. The older one neither goes on with it nor ends it, refuses to run the
    # session, and shows all frames that there are as they were stored; another session it runs. The next newer worker goes
    # on with the run, in the same stream.
    # Proves: A7, N2, N3
    def test_a_run_is_left_to_the_newer(self):
        old, new = self.start_both()
        agent = {"type": "agent", "name": "Helper", "agent": {"provider": "scripted", "instructions": SCRIPT}}
        agent = self.ask(new, "POST", "channels", agent, 201)["channel"]["id"]
        room, other = (self.make_session(new, old, agent, name) for name in ("talk", "beside"))
        seen = []
        for frame in self.run_on(new, room, "slow").frames():
            seen.append(frame)
            if frame[1]["type"] == "TEXT_MESSAGE_CONTENT":
                break
        new.kill()
        self.until_dead(new.incarnation)

        time.sleep(TEMPTED)  # is what is tried here
        self.assertEqual(self.database.ask("SELECT status, format FROM turns"), [["2", "1"]])
        refused = self.run_on(old, room, "hello")
        self.assertEqual((refused.status, refused.problem()["retryable"]), (503, True))
        reading = self.read_on(old, room)
        self.assertEqual([next(reading) for _ in seen], seen)
        beside = list(self.run_on(old, other, "hello").frames())
        self.assertEqual(beside[-1][1]["type"], "RUN_FINISHED")

        self.restart(new, program())
        # The older one's reader is told what the newer one says.
        frames = seen + list(reading)
        numbers = [int(name.rpartition("-")[2]) for name, _ in frames]
        self.assertEqual(numbers, list(range(len(frames))))
        kinds = [event["type"] for _, event in frames]
        self.assertEqual(kinds[-1], "RUN_FINISHED")
        self.assertEqual(kinds.count("RUN_STARTED"), 1)
        self.assertEqual(self.database.number("SELECT count(*) FROM turns WHERE status = 3"), 2)

    def make_session(self, worker, other, agent: str, name: str) -> str:
        body = {"external_id": name, "channels": [{"channel_id": "web"}, {"channel_id": agent}]}
        room = self.ask(worker, "POST", "rooms", body, 201)["id"]
        self.ask(worker, "PUT", f"rooms/{room}/session", {"agent": agent})
        # The other worker hears of the agent.
        self.until(lambda: other.ask("PUT", f"/api/v1/rooms/{room}/session", {"agent": agent})[0] == 200, "is known")
        return room

    def run_on(self, worker, room: str, text: str) -> Stream:
        body = {
            "threadId": room, "runId": text, "state": {}, "tools": [], "context": [], "forwardedProps": {},
            "messages": [{"id": f"{room}-{text}", "role": "user", "content": text}],
        }
        stream = Stream(worker.port, "POST", f"rooms/{room}/agent?on_disconnect=detach", body)
        self.addCleanup(stream.close)
        return stream

    def read_on(self, worker, room: str):
        stream = Stream(worker.port, "GET", f"rooms/{room}/agent/stream")
        self.addCleanup(stream.close)
        return stream.frames()

    # A rolling upgrade under load, one worker told to stop and one killed: nothing is lost, nothing waits for anybody.
    # Proves: D1, D2, D3, D7, D15, R1, R8
    def test_a_rolling_upgrade(self):
        first, second = self.make_older().start(), self.make_older().start()
        rooms = self.make_rooms(8)
        traffic = self.traffic(rooms, 12, hot=rooms[0]).start()
        traffic.wait_for(100, PATIENCE)
        self.assertEqual(first.stop(), 0, first.logged())
        self.restart(first, program())
        traffic.wait_for(100, PATIENCE)
        self.assertEqual([self.format_of(second) + 1], [self.format_of(first)])
        second.kill()
        self.restart(second, program())
        traffic.wait_for(100, PATIENCE)
        traffic.stop(PATIENCE)
        self.note(f"{traffic.count} messages, {traffic.repeats} sent again, longest wait {traffic.longest_wait()}")
        for incarnation in self.expected_dead:
            self.until_dead(incarnation)
        self.assert_each_did_its_own(traffic.acknowledged)


if __name__ == "__main__":
    main()
