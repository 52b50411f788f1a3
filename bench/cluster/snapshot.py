# SPDX-License-Identifier: Apache-2.0
# What it costs when somebody keeps a snapshot open: rows that commits change can't be cleaned meanwhile.

import time

from cluster import Cluster
from database import Snapshot
from report import Report

SENDERS = 16
# How often it is shown while the snapshot is open.
ROWS = 6


def run(cluster: Cluster, report: Report, given):
    report.begin("snapshot", f"Committed, {SENDERS} senders, while a snapshot is open",
                 ["rooms", "after_s", "per_second", "p50_ms", "p99_ms", "server_us"])
    lasting = 2 if given.quick else 60
    for count in (1, 200):
        worker, = cluster.set_workers(1)
        # No receiver is asked: the web is the only channel, and the sender's own.
        rooms = cluster.make_rooms(count)

        def send() -> dict:
            return cluster.send([worker], SENDERS, given.messages // 10, "--into", ",".join(rooms))

        send()  # so that nothing is done for the first time while it is measured
        before = report.row({"rooms": count, "after_s": "none open"} | send())
        with Snapshot(cluster.database):
            started, elapsed, shown = time.monotonic(), 0.0, 1
            while elapsed < lasting:
                last = send()
                elapsed = time.monotonic() - started
                if elapsed >= shown * lasting / ROWS:
                    shown += 1
                    report.row({"rooms": count, "after_s": elapsed} | last)
        after = report.row({"rooms": count, "after_s": "closed"} | send())
        late, later = last["per_second"] / before["per_second"], after["per_second"] / before["per_second"]
        report.note(f"{count} rooms: {late:.2f} x of what it was after {lasting} s, {later:.2f} x when it is closed")
