#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Everything at once: many writers, and every few seconds something happens to a worker that nobody expected.

import time

import invariants
from clients import BROKEN
from cluster_case import PATIENCE, SECONDS, ClusterCase, main

# The short form has fewer of everything, so that it has begun before it ends.
LENGTH, BETWEEN = (SECONDS, 5.0) if SECONDS else (12.0, 2.5)  # seconds; from one blow to the next
WORKERS = 4
WRITERS, ROOMS = (200, 200) if SECONDS else (40, 40)


class Storm(ClusterCase):
    # kill -9, standing still for up to 3 s, the end of one connection, and of all of one worker, in random order, under
    # writers of one hot room and many others. Afterwards everything holds, and all workers serve.
    # Proves: D7, D9, D1, D3, L6, L10, O4, R1, R8, R18
    def test_the_invariants_hold(self):
        workers = self.start_workers(WORKERS)
        rooms = self.make_rooms(ROOMS)
        hot, = self.make_rooms(1, name="room-hot")
        readers = [self.reader(room, seed=i) for i, room in enumerate([hot, *rooms[:3]])]
        traffic = self.traffic(rooms, WRITERS, hot=hot).start()
        blows = {"kill": self.kill, "freeze": self.freeze, "one": self.end_one, "all": self.end_all}
        end = time.monotonic() + LENGTH
        deck = []
        while time.monotonic() + BETWEEN < end:
            until = time.monotonic() + BETWEEN
            worker = self.draw.choice(workers)
            deck = deck or self.draw.sample(sorted(blows), len(blows))
            blow = deck.pop()
            blows[blow](worker)
            before = traffic.count
            traffic.stopping.wait(max(0.0, until - time.monotonic()))
            self.assertEqual(traffic.failures, [])
            self.note(f"{blow:<6} {worker.name}: {traffic.count - before} acknowledged until the next")
        traffic.wait_for(1, PATIENCE)
        traffic.stop(PATIENCE)
        self.note(
            f"{traffic.count} messages in {LENGTH:.0f} s, {traffic.repeats} sent again,"
            f" longest wait {traffic.longest_wait()}"
        )
        self.until(lambda: self.only_running_ones_live(workers), "somebody who is gone is not buried")
        self.note(f"{invariants.lag(self.database)} deliveries are left when the writers stop")
        self.assert_invariants(traffic.acknowledged)
        for room, reader in zip([hot, *rooms], readers):
            latest = self.database.number(f"SELECT latest_index FROM rooms WHERE id = '{room}'")
            self.assertTrue(reader.wait_for(latest, PATIENCE), "a reader did not get all")
            self.assertIsNone(reader.wrong)
            self.assertEqual(reader.indexes, list(range(latest + 1)))

    def only_running_ones_live(self, workers: list) -> bool:
        live = {name for name, state in self.database.states().items() if state != 3}
        return live == {worker.incarnation for worker in workers}

    def kill(self, worker):
        worker.kill()
        self.expected_dead.add(worker.incarnation)
        worker.start()

    def freeze(self, worker):
        worker.freeze()
        time.sleep(self.draw.uniform(0.2, 3.0))  # is what is tried here
        worker.thaw()

    def end_one(self, worker):
        sessions = self.database.sessions_of(worker.incarnation)
        if sessions:
            self.database.end_sessions(f"pid = {self.draw.choice(sessions)}")

    def end_all(self, worker):
        """So fast that nobody can tell it from a death: the worker may be buried, and then it starts anew."""
        self.database.end_sessions(f"application_name = 'convene {worker.incarnation}'")
        self.until(lambda: self.has_come_back(worker), f"{worker.name} does not come back")

    def has_come_back(self, worker) -> bool:
        try:
            if worker.ask("GET", "/readyz")[0] != 200:
                return False
            now, _ = worker.try_incarnation()
        except BROKEN:
            return False  # it is just about to start anew
        if now is None:
            return False
        if now != worker.incarnation:
            self.expected_dead.add(worker.incarnation)
            worker.incarnation = now
        return True


if __name__ == "__main__":
    main()
