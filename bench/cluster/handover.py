# SPDX-License-Identifier: Apache-2.0
# One room used from two workers: what it costs that its delivery claim goes from one to the other.

import threading
import time

from cluster import Client, Cluster, Worker
from report import Report, percentile

CLAIM, HANDOVER = "convene_lane_claim_wait_seconds", "convene_lane_handover_seconds"


class Seen:
    """Seconds of each message, and how many were answered before they were delivered."""

    def __init__(self):
        self.times, self.early = [], 0

    def say(self, workers: list[Worker], room: str, count: int):
        """By the workers in turns."""
        clients = [Client(worker.port) for worker in workers]
        for number in range(count):
            started = time.monotonic()
            self.early += 0 if clients[number % len(clients)].say(room) else 1
            self.times.append(time.monotonic() - started)
        for client in clients:
            client.close()


def alone(workers: list[Worker], room: str, count: int, seen: Seen):
    seen.say(workers[:1], room, count)


def in_turns(workers: list[Worker], room: str, count: int, seen: Seen):
    seen.say(workers, room, count)


def at_once(workers: list[Worker], room: str, count: int, seen: Seen):
    threads = [threading.Thread(target=seen.say, args=([worker], room, count // len(workers))) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run(cluster: Cluster, report: Report, given):
    report.begin("handover", "One room, delivered messages: its claim goes from worker to worker",
                 ["used", "messages", "early", "per_second", "p50_ms", "p99_ms", "claims", "claim_wait_ms", "handovers",
                  "handover_ms"])
    workers = cluster.set_workers(2)
    count = given.messages // 40
    rows = {}
    for what, use in (("from one worker", alone), ("from two in turns", in_turns), ("from two at once", at_once)):
        room, = cluster.make_rooms(1, "/instant")
        use(workers, room, 4, Seen())
        seen, before, started = Seen(), [worker.figures() for worker in workers], time.monotonic()
        use(workers, room, count, seen)
        took = time.monotonic() - started
        after = [worker.figures() for worker in workers]

        def rise(name: str) -> float:
            return sum(now[name] - then[name] for now, then in zip(after, before))

        claims, handovers = rise(f"{CLAIM}_count"), rise(f"{HANDOVER}_count")
        rows[what] = report.row({
            "used": what, "messages": len(seen.times), "early": seen.early, "per_second": len(seen.times) / took,
            "p50_ms": percentile(seen.times, 50) * 1e3, "p99_ms": percentile(seen.times, 99) * 1e3,
            "claims": int(claims), "claim_wait_ms": rise(f"{CLAIM}_sum") * 1e3 / max(claims, 1),
            "handovers": int(handovers), "handover_ms": rise(f"{HANDOVER}_sum") * 1e3 / max(handovers, 1),
        })
    one, turns = rows["from one worker"], rows["from two in turns"]
    report.note(f"A hand-over makes a message {turns['p50_ms'] - one['p50_ms']:.1f} ms slower (p50); no goal")
