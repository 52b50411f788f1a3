# SPDX-License-Identifier: Apache-2.0
# Receivers that take their time: a busy room whose channel takes 5 ms, and many rooms with seconds each.

import threading
import time

from cluster import Client, Cluster, Worker
from database import Connections
from report import Report, percentile

HOT_DELAY = 0.005
PATIENCE = 120.0


def run_hot(cluster: Cluster, report: Report, given):
    report.begin("hot", "A room whose channel takes 5 ms, senders that wait for the delivery",
                 ["workers", "senders", "messages", "per_second", "p50_ms", "p99_ms", "channel_ms", "of_its_rate"])
    receiver, messages, rates = cluster.receiver, given.messages // 10, {}
    receiver.delays["/hot"] = HOT_DELAY
    for senders in (16, 64):
        for count in (1, 2, 4):
            workers = cluster.set_workers(count)
            room, = cluster.make_rooms(1, "/hot")
            cluster.send(workers, senders, senders, "--into", room, "--wait", "delivered")
            receiver.mean_delay("/hot")
            seen = cluster.send(workers, senders, messages, "--into", room, "--wait", "delivered")
            # Timers are late: it is measured by what the channel really took.
            took = receiver.mean_delay("/hot")
            row = report.row({"workers": count, "senders": senders, "messages": messages, **seen,
                              "channel_ms": took * 1e3, "of_its_rate": seen["per_second"] * took})
            rates[count] = row["per_second"]
            if count == 1:
                report.goal(f"{senders} senders, one worker", ">= 0.8 x what the channel can take",
                            f"{row['of_its_rate']:.2f} x", row["of_its_rate"] >= 0.8)
            else:
                ratio = rates[count] / rates[1]
                # Two runs of the same differ by that much.
                report.goal(f"{senders} senders, no slower on {count} workers", ">= 0.95 x one worker",
                            f"{ratio:.2f} x", ratio >= 0.95)


def say_quickly(worker: Worker, room: str, is_over) -> list[tuple[float, float]]:
    """When each message to the quick room began, and its seconds, until it is over."""
    client, times = Client(worker.port), []
    while not is_over():
        started = time.monotonic()
        client.say(room)
        times.append((started, time.monotonic() - started))
    client.close()
    return times


def quick_figures(times: list[tuple[float, float]]) -> dict:
    each = [seconds for _, seconds in times]
    return {"quick": len(each), "quick_p50_ms": percentile(each, 50) * 1e3, "quick_p99_ms": percentile(each, 99) * 1e3}


def burst(cluster: Cluster, senders: list[Worker], count: int, path: str, quick: str) -> dict:
    """One message a room from each of the workers, at once, and the quick room beside them on the first."""
    rooms, done, times = cluster.make_rooms(count, path), threading.Event(), []
    watcher = threading.Thread(target=lambda: times.extend(say_quickly(senders[0], quick, done.is_set)))
    with Connections(cluster.database) as connections:
        watcher.start()
        started = time.monotonic()
        for worker in senders:
            cluster.send_one_each(worker, rooms)
        sent = time.monotonic()
        cluster.receiver.wait_for_answers(path, len(senders) * count, PATIENCE)
        cluster.receiver.mean_delay(path)
        # It is done when the database says so.
        listed = ",".join(f"'{room}'" for room in rooms)
        left = f"SELECT count(*) FROM room_cursors WHERE room_id IN ({listed}) AND delivered_index < {len(senders) - 1}"
        while int(cluster.database.ask(left)[0]):
            time.sleep(0.05)  # between two looks
        took = time.monotonic() - started
        done.set()
        watcher.join()
    # All are on their way, and none comes back yet.
    waiting = [seconds for at, seconds in times if sent + 0.2 < at < started + cluster.receiver.delays[path] - 0.2]
    return {"rooms": len(rooms), "workers": len(cluster.workers), "done_s": took, "connections": connections.most,
            **quick_figures(times), "waiting_p99_ms": percentile(waiting or [0.0], 99) * 1e3,
            "lost": cluster.lost_of(rooms)}


def run_many(cluster: Cluster, report: Report, given):
    report.begin("slow", "Many rooms with a slow delivery each, at once, and a quick room beside them",
                 ["what", "rooms", "workers", "done_s", "connections", "quick", "quick_p50_ms", "quick_p99_ms",
                  "waiting_p99_ms", "lost"])
    some, many, seconds = (10, 40, 3.0) if given.quick else (100, 1000, 10.0)
    cluster.receiver.delays |= {"/two": 2.0, "/ten": seconds}
    worker, = cluster.set_workers(1)
    quick, = cluster.make_rooms(1, "/instant")
    say_quickly(worker, quick, iter([False] * 50 + [True]).__next__)
    end = time.monotonic() + 2.0
    with Connections(cluster.database):  # its looking is a part of every row
        alone = quick_figures(say_quickly(worker, quick, lambda: time.monotonic() > end))
    report.row({"what": "the quick room alone", "workers": 1} | alone)

    seen = burst(cluster, [worker], some, "/two", quick)
    report.row({"what": "2 s each"} | seen)
    report.goal(f"{some} rooms, 2 s each", "all done in < 3 s, <= 16 connections",
                f"{seen['done_s']:.2f} s, {seen['connections']} connections",
                seen["done_s"] < 3 and seen["connections"] <= 16)
    p50, p99 = (seen[name] / alone[name] for name in ("quick_p50_ms", "quick_p99_ms"))
    report.goal("the quick room beside them", "unaffected: p50 within 1.2 x, p99 within 2 x",
                f"p50 {p50:.2f} x, p99 {p99:.2f} x; p99 {seen['waiting_p99_ms'] / alone['quick_p99_ms']:.2f} x between"
                " the sending and the answers", p50 <= 1.2 and p99 <= 2)

    seen = burst(cluster, [worker], many, "/two", quick)
    report.row({"what": "2 s each"} | seen)
    report.note(f"{many} rooms at once: {seen['done_s']:.2f} s, {seen['connections']} connections; no goal")

    seen = burst(cluster, cluster.set_workers(2), some, "/ten", quick)
    report.row({"what": f"{seconds:.0f} s each, from two workers"} | seen)
    report.goal(f"{some} rooms, {seconds:.0f} s each, two workers send", "none lost", str(seen["lost"]),
                seen["lost"] == 0)
