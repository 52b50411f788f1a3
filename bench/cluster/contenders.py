# SPDX-License-Identifier: Apache-2.0
# Eight processes that want the same lease again and again: how long each waits for its turn.

import json
import subprocess

from cluster import Cluster
from report import Report, percentile

CONTENDERS = 8


def contend(cluster: Cluster, kind: str, tenure_ms: int, seconds: int) -> list[list[float]]:
    """The waits of each contender, in ms."""
    running = [
        subprocess.Popen(
            [str(cluster.programs / "convene_bench_lease"), "--database", cluster.database.url, "--kind", kind,
             "--name", f"{kind}-{tenure_ms}", "--tenure-ms", str(tenure_ms), "--seconds", str(seconds)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(CONTENDERS)
    ]
    waits = []
    for one in running:
        out, err = one.communicate()
        if one.returncode != 0:
            raise RuntimeError(err)
        waits.append(json.loads(out))
    return waits


def run(cluster: Cluster, report: Report, given):
    report.begin("contenders", f"{CONTENDERS} processes want one lease",
                 ["lease", "tenure_ms", "seconds", "tenures", "period_ms", "fewest", "most", "p50_ms", "p99_ms",
                  "max_ms", "p99_tenures"])
    cluster.set_workers(0)
    # A room's lock is held for a commit; a delivery claim is let go after 250 ms, or a set, where it is wanted.
    for kind, tenure, seconds in (("room", 5, 5), ("room", 20, 10), ("delivery", 50, 20), ("delivery", 250, 60)):
        seconds = 2 if given.quick else seconds
        waits = contend(cluster, kind, tenure, seconds)
        every, counts = [wait for one in waits for wait in one], [len(one) for one in waits]
        p99 = percentile(every, 99)
        report.row({
            "lease": kind, "tenure_ms": tenure, "seconds": seconds, "tenures": len(every),
            "period_ms": seconds * 1e3 / len(every), "fewest": min(counts), "most": max(counts),
            "p50_ms": percentile(every, 50), "p99_ms": p99, "max_ms": max(every), "p99_tenures": p99 / tenure,
        })
        report.goal(f"{kind}, {tenure} ms: p99 of the wait", "< 10 tenures", f"{p99 / tenure:.1f}", p99 < 10 * tenure)
