# SPDX-License-Identifier: Apache-2.0
# kill -9 of a worker in the middle of its deliveries: how long until another one has made them.

import random
import time

from cluster import Cluster
from report import Report, percentile

PATIENCE = 60.0
WATCH = 0.5  # between two looks of a worker at whether the others live
LEFT = "/left"


def kill_one(cluster: Cluster, rooms: list[str], each: int) -> tuple[list[float], dict]:
    """The first worker dies with the heads of all rooms at their receiver. After how many seconds does each room flow
    again, and when is what it left delivered?"""
    receiver, victim = cluster.receiver, cluster.workers[0]
    held = {room: len(receiver.orders().get(room, ())) + 1 for room in rooms}
    receiver.held.add(LEFT)
    for _ in range(each):
        cluster.send_one_each(victim, rooms)
    begun = receiver.wait_for_each(held, PATIENCE / 3)
    # Rounds would else follow the watch of the one before, and all of them die at the same moment of its period.
    time.sleep(random.uniform(0.0, WATCH))
    receiver.held.discard(LEFT)  # for those that come from now on
    killed_at = time.monotonic()
    victim.kill()
    left = each * len(rooms)
    came = receiver.wait_for_calls(rooms, killed_at, left, PATIENCE)
    flowing = {}
    for (room, _), at in came.items():
        flowing[room] = min(flowing.get(room, at), at)
    flowing = [at - killed_at for at in flowing.values()]
    done = max(came.values()) - killed_at
    lost = left - len(came) + cluster.lost_of(rooms)
    cluster.replace_killed(0)
    return flowing, {"rooms": len(rooms), "begun": begun, "left": left, "first_s": min(flowing),
                     "p50_s": percentile(flowing, 50), "p95_s": percentile(flowing, 95), "all_s": done, "lost": lost}


def run(cluster: Cluster, report: Report, given):
    report.begin("recovery", "kill -9 of one of two workers: seconds until the other delivers what it left",
                 ["round", "rooms", "begun", "left", "first_s", "p50_s", "p95_s", "all_s", "lost"])
    rounds, count, many = (2, 5, 40) if given.quick else (10, 20, 1000)
    cluster.set_workers(2)
    cluster.database.wait_for_verdicts()
    rooms, beside = cluster.make_rooms(count, LEFT), cluster.make_rooms(count, "/beside")
    # The worker that survives has work of its own.
    busy = cluster.start_sending(cluster.workers[1:], 1, 10_000_000, "--into", ",".join(beside), "--wait", "delivered")
    flowing, whole, lost = [], [], 0
    for number in range(1, rounds + 1):
        rooms_flow, seen = kill_one(cluster, rooms, 2)
        report.row({"round": number} | seen)
        flowing += rooms_flow
        whole.append(seen["all_s"])
        lost += seen["lost"]
    busy.kill()
    busy.communicate()
    lost += cluster.lost_of(beside)
    p50, p95 = percentile(flowing, 50), percentile(flowing, 95)
    worst = max(whole)
    report.goal(f"deliveries go on after kill -9, {rounds} rounds", "p95 < 1.5 s",
                f"p50 {p50:.2f} s, p95 {p95:.2f} s by room; all that was left {worst:.2f} s at most", p95 < 1.5)

    _, seen = kill_one(cluster, cluster.make_rooms(many, LEFT), 1)
    report.row({"round": "many"} | seen)
    report.goal(f"{many} rooms with deliveries of a killed worker flow again", "< 5 s", f"{seen['all_s']:.2f} s",
                seen["all_s"] < 5)
    lost += seen["lost"]
    report.goal("nothing lost, everything in order, nothing skipped", "0", str(lost), lost == 0)
