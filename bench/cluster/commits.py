# SPDX-License-Identifier: Apache-2.0
# Messages a second beside pgbench doing the bare effect: rooms, workers and senders, without and with a recipient.

from cluster import Cluster
from report import Report

COLUMNS = ["what", "rooms", "workers", "senders", "per_second", "p50_ms", "p99_ms", "server_us", "database_us",
           "transactions", "syncs", "connections"]


def bare_effect(cluster: Cluster, report: Report, seconds: int) -> dict:
    """What a message does at least: one row moves, one is added, and it is on disk."""
    database = cluster.database
    database.ask("CREATE TABLE bench_rooms (id bigint PRIMARY KEY, next bigint NOT NULL) WITH (fillfactor = 70)")
    database.ask("INSERT INTO bench_rooms SELECT n, 0 FROM generate_series(1, 200) n")
    database.ask("CREATE TABLE bench_events (room bigint, at bigint, content text, PRIMARY KEY (room, at))")
    step = ("WITH r AS (UPDATE bench_rooms SET next = next + 1 WHERE id = {} RETURNING id, next) INSERT INTO"
            " bench_events SELECT id, next, repeat('x', 1024) FROM r;\n")
    rates = {}
    for clients in (1, 16, 64):
        one = report.row(database.pgbench("one row", step.format(1), clients, seconds))
        many = report.row(database.pgbench(
            "200 rows", "\\set room random(1, 200)\n" + step.format(":room"), clients, seconds))
        rates[clients] = (one["per_second"], many["per_second"])
    return rates


def run(cluster: Cluster, report: Report, given):
    report.begin("commits", "Messages a second", COLUMNS)
    bare = bare_effect(cluster, report, given.seconds)
    seen = {}
    rooms = (1, 200) if given.quick else (1, 200, 1000)
    workers = (1, 2) if given.quick else (1, 2, 4)
    for count in workers:
        for number in rooms:
            for senders in (1, 16, 64):
                messages = given.messages // 10 if senders == 1 else given.messages
                row = cluster.measure("committed", number, count, senders, messages)
                seen[number, count, senders] = report.row(row)["per_second"]
    one = ("--wait", "delivered", "--recipients", "1")
    delivered = report.row(cluster.measure("delivered to one", 200, 1, 16, given.messages, *one))
    report.row(cluster.measure("delivered to one", 1, 1, 1, given.messages // 10, *one))
    report.row(cluster.measure("delivered to one", 1, 1, 16, given.messages, *one))

    hot, hot_ratio = seen[1, 2, 64], seen[1, 2, 64] / bare[64][0]
    report.goal("hot room, 64 senders, 2 workers", ">= 5 x pgbench on one row, >= 5,000/s",
                f"{hot_ratio:.2f} x, {hot:.0f}/s", hot_ratio >= 5 and hot >= 5000)
    ratio = seen[200, 1, 16] / bare[16][1]
    report.goal("200 rooms, 16 senders", ">= 0.40 x pgbench", f"{ratio:.2f} x", ratio >= 0.40)
    ratio = delivered["per_second"] / bare[16][1]
    report.goal("the same with one recipient", ">= 0.30 x pgbench", f"{ratio:.2f} x", ratio >= 0.30)
