# SPDX-License-Identifier: Apache-2.0
# Where a load spends the machine's processors: servers, database, senders, the rest of the system, nobody.

import os
import time
from typing import NamedTuple

from cluster import Cluster
from database import TICKS
from report import Report
from slow import HOT_DELAY


class Load(NamedTuple):
    rooms: int
    workers: int
    senders: int
    delay: float = 0.0  # seconds that a receiver takes; 0: there is none
    is_delivered: bool = False  # to the people who read


# Those that have a goal: beside pgbench, and by what a receiver can take.
LOADS = [
    Load(200, 1, 16), Load(200, 1, 16, is_delivered=True), Load(1, 2, 64), Load(1, 1, 16, HOT_DELAY),
    Load(1, 4, 16, HOT_DELAY),
]

# Of the first line of /proc/stat.
USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL = range(8)


def machine() -> list[float]:
    with open("/proc/stat", encoding="ascii") as status:
        return [int(ticks) / TICKS for ticks in status.readline().split()[1:9]]


def busy() -> float:
    """Seconds that programs and the kernel itself took."""
    seconds = machine()
    return seconds[USER] + seconds[NICE] + seconds[SYSTEM]


def measure(cluster: Cluster, report: Report, messages: int, load: Load):
    what = "delivered to one" if load.is_delivered else "committed"
    what = f"each delivered in {load.delay * 1e3:.0f} ms" if load.delay else what
    report.begin("layers", f"Processors: {what}, rooms {load.rooms}, senders {load.senders}, workers {load.workers}",
                 ["layer", "percent", "us_per_message"])
    running, path, more = cluster.set_workers(load.workers), "", ()
    if load.delay:
        messages, path, more = messages // 10, "/layers", ("--wait", "delivered")
        cluster.receiver.delays[path] = load.delay
    if load.is_delivered:
        more = ("--wait", "delivered", "--recipients", "1")
    into = ",".join(cluster.make_rooms(load.rooms, path))

    def send() -> dict:
        return cluster.send(running, load.senders, messages, "--into", into, *more)

    send()

    def counters() -> dict[str, float]:
        database, client, all_of_it = cluster.database.counters(), os.times(), machine()
        servers = [worker.cpu() for worker in running]
        return {
            "database, user": database["user"], "database, system": database["system"],
            "servers, user": sum(user for user, _ in servers), "servers, system": sum(system for _, system in servers),
            # Our own is the looking.
            "senders and this program": client.user + client.system + client.children_user + client.children_system,
            "interrupts": all_of_it[IRQ] + all_of_it[SOFTIRQ],
            "taken by the host": all_of_it[STEAL],
            "waiting for the disk": all_of_it[IOWAIT],
            "idle": all_of_it[IDLE],
        }

    before, busy_before, started = counters(), busy(), time.monotonic()
    seen = send()
    after, busy_after, took = counters(), busy(), time.monotonic() - started
    available = os.cpu_count() * took
    spent = {name: after[name] - before[name] for name in after}
    accounted = sum(spent.values())
    ours = sum(seconds for name, seconds in spent.items() if name.startswith(("database", "servers", "senders")))
    spent["other programs and the kernel (not counted)"] = busy_after - busy_before - ours
    for name, seconds in (spent | {"all of it": available}).items():
        each = seconds * 1e6 / messages
        report.row({"layer": name, "percent": 100 * seconds / available, "us_per_message": each})
    report.note(f"{seen['per_second']} messages/s")
    report.goal("accounted for", ">= 90 %", f"{100 * accounted / available:.0f} %", accounted / available >= 0.9)


def run(cluster: Cluster, report: Report, given):
    for load in LOADS:
        measure(cluster, report, given.messages, load)
