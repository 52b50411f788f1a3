# SPDX-License-Identifier: Apache-2.0
# A turn that nobody's request drives, on an idle deployment: from the message that makes it to the first frame of its run.

import http.client
import time

from cluster import TOKEN, Client, Cluster, Worker
from report import Report, percentile

GOAL_MS = 100
TURNS = 100


def make_session(worker: Worker) -> str:
    client = Client(worker.port)
    settings = {"provider": "scripted", "instructions": "model-script 1\notherwise\n    say Done.\n"}
    wanted = {"type": "agent", "name": "Helper", "agent": settings}
    agent = client.ask("POST", "/api/v1/channels", wanted, 201)["channel"]["id"]
    channels = [{"channel_id": "web"}, {"channel_id": agent}]
    room = client.ask("POST", "/api/v1/rooms", {"channels": channels}, 201)["id"]
    client.ask("PUT", f"/api/v1/rooms/{room}/session", {"agent": agent})
    client.close()
    return room


def read_first_frame(worker: Worker, room: str, run: str):
    """Reads the rest as well, so that the session is idle afterwards."""
    connection = http.client.HTTPConnection("127.0.0.1", worker.port, timeout=60)
    path = f"/api/v1/rooms/{room}/agent/stream?run_id={run}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    while not answer.readline().startswith(b"data: "):
        pass
    seen = time.monotonic()
    answer.read()
    connection.close()
    return seen


def run(cluster: Cluster, report: Report, given):
    report.begin("turns", "A turn of an agent session, from its message to the first frame, nothing else to do",
                 ["workers", "turns", "p50_ms", "p99_ms"])
    for count in (1, 2):
        worker = cluster.set_workers(count)[0]
        room, client, times, last = make_session(worker), Client(worker.port), [], ""
        for _ in range(TURNS // 10 if given.quick else TURNS):
            started = time.monotonic()
            body = {"content": {"type": "text", "body": "go"}, "channel_id": "web"}
            client.ask("POST", f"/api/v1/rooms/{room}/events?wait=committed", body, 201)
            # There is nothing to wait at for a run that has no name yet.
            while (now := client.ask("GET", f"/api/v1/rooms/{room}/session"))["run_id"] == last:
                pass
            last = now["run_id"]
            times.append(read_first_frame(worker, room, last) - started)
        client.close()
        p50 = percentile(times, 50) * 1e3
        report.row({"workers": count, "turns": len(times), "p50_ms": p50, "p99_ms": percentile(times, 99) * 1e3})
        report.goal(f"a turn's first frame with {count} workers (p50)", f"{GOAL_MS} ms", f"{p50:.0f} ms", p50 <= GOAL_MS)
