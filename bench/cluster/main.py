#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Measures workers that share a PostgreSQL database, section by section, beside the goals.
#
# usage: main.py PROGRAMS_FOLDER [--only SECTION,...] [--messages N] [--json] [--quick]
"""The database syncs to disk. `server_us` and `database_us` are processor time per message; `syncs` and `transactions`
are those of the database per message; `connections` is the most that were open."""

import argparse
import pathlib
import signal
import sys
import time

import commits
import contenders
import handover
import layers
import recovery
import slow
import snapshot
import turns
from cluster import Cluster
from report import Report

SECTIONS = {
    "commits": commits.run, "layers": layers.run, "snapshot": snapshot.run, "hot": slow.run_hot, "slow": slow.run_many,
    "handover": handover.run, "contenders": contenders.run, "recovery": recovery.run, "turns": turns.run,
}


def read_arguments() -> argparse.Namespace:
    reader = argparse.ArgumentParser()
    reader.add_argument("programs", type=pathlib.Path)
    reader.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    reader.add_argument("--messages", type=int, default=20_000)
    reader.add_argument("--seconds", type=int, default=5, help="of each run of pgbench")
    reader.add_argument("--json", action="store_true")
    reader.add_argument("--quick", action="store_true", help="a short form, whose figures mean less")
    given = reader.parse_args()
    given.only = given.only.split(",")
    unknown = set(given.only) - set(SECTIONS)
    if unknown:
        reader.error(f"no such section: {', '.join(sorted(unknown))}")
    return given


def main():
    given = read_arguments()
    # Also then nothing is left running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to stop"))
    report, cluster, started = Report(given.json), Cluster(given.programs), time.monotonic()
    try:
        report.begin("machine", "The disk", ["what", "us"])
        report.row({"what": "fdatasync of 8 KiB", "us": cluster.database.sync_us()})
        for name in given.only:
            SECTIONS[name](cluster, report, given)
    finally:
        cluster.close()
    report.note(f"{len(report.missed)} goals missed; {time.monotonic() - started:.0f} s in all")
    report.end()


if __name__ == "__main__":
    sys.exit(main())
