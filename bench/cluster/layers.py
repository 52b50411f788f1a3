# SPDX-License-Identifier: Apache-2.0
# Where 200 rooms spend the machine's processors: servers, database, senders, the rest of the system, nobody.

import os
import time

from cluster import Cluster
from database import TICKS
from report import Report

ROOMS, SENDERS = 200, 16
# Of the first line of /proc/stat.
USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL = range(8)


def machine() -> list[float]:
    with open("/proc/stat", encoding="ascii") as status:
        return [int(ticks) / TICKS for ticks in status.readline().split()[1:9]]


def busy() -> float:
    """Seconds that programs and the kernel itself took."""
    seconds = machine()
    return seconds[USER] + seconds[NICE] + seconds[SYSTEM]


def run(cluster: Cluster, report: Report, given):
    report.begin("layers", f"Processors: committed, {ROOMS} rooms, {SENDERS} senders, 1 worker",
                 ["layer", "percent", "us_per_message"])
    worker, = cluster.set_workers(1)
    rooms = ",".join(cluster.make_rooms(ROOMS))
    cluster.send([worker], SENDERS, given.messages, "--into", rooms)

    def counters() -> dict[str, float]:
        database, server, client, all_of_it = cluster.database.counters(), worker.cpu(), os.times(), machine()
        return {
            "database, user": database["user"], "database, system": database["system"],
            "server, user": server[0], "server, system": server[1],
            # Our own is the looking.
            "senders and this program": client.user + client.system + client.children_user + client.children_system,
            "interrupts": all_of_it[IRQ] + all_of_it[SOFTIRQ],
            "taken by the host": all_of_it[STEAL],
            "waiting for the disk": all_of_it[IOWAIT],
            "idle": all_of_it[IDLE],
        }

    before, busy_before, started = counters(), busy(), time.monotonic()
    seen = cluster.send([worker], SENDERS, given.messages, "--into", rooms)
    after, busy_after, took = counters(), busy(), time.monotonic() - started
    available = os.cpu_count() * took
    spent = {name: after[name] - before[name] for name in after}
    accounted = sum(spent.values())
    ours = sum(seconds for name, seconds in spent.items() if name.startswith(("database", "server", "senders")))
    spent["other programs and the kernel (not counted)"] = busy_after - busy_before - ours
    for name, seconds in (spent | {"all of it": available}).items():
        each = seconds * 1e6 / given.messages
        report.row({"layer": name, "percent": 100 * seconds / available, "us_per_message": each})
    report.note(f"{seen['per_second']} messages/s")
    report.goal("accounted for", ">= 90 %", f"{100 * accounted / available:.0f} %", accounted / available >= 0.9)
