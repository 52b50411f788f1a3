#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Measures workers that share a PostgreSQL database: commits a second, latency, and what a message costs server and
# database, beside pgbench doing the bare effect in the same run.
#
# usage: cluster.py PROGRAMS_FOLDER [--messages N] [--json] [--quick]
"""The database syncs to disk. `server us` and `database us` are processor time per message; `syncs` and `transactions` are
those of the database per message; `connections` is the most that were open."""

import argparse
import base64
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "support"))
from postgres_server import BIN, PostgresServer, as_server_user  # noqa: E402

TOKEN = "cvt_benchmarkbenchmarkbenchmarkbenchmarkbenchmark"
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = ["what", "rooms", "workers", "senders", "per_second", "p50_ms", "p99_ms", "server_us", "database_us",
           "transactions", "syncs", "connections"]


class Database:
    def __init__(self):
        self.server = PostgresServer.make()
        self.server.start(max_connections="200", shared_buffers="256MB")
        self.url = f"postgresql://convene@/postgres?host={self.server.folder}"
        self.postmaster = int((self.server.data / "postmaster.pid").read_text().split()[0])

    def ask(self, sql: str) -> list[str]:
        done = subprocess.run(
            [str(BIN / "psql"), "-XAtq", "-d", self.url, "-c", sql], capture_output=True, text=True, check=True
        )
        return done.stdout.strip().split("|")

    def counters(self) -> dict:
        commits, syncs = self.ask(
            "SELECT sum(xact_commit), (SELECT wal_sync FROM pg_stat_wal) FROM pg_stat_database"
        )
        return {"transactions": int(commits), "syncs": int(syncs), "cpu": self.cpu()}

    def cpu(self) -> float:
        """Seconds of all its processes, those that ended included."""
        spent = 0.0
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            if int(fields[1]) == self.postmaster:
                spent += int(fields[11]) + int(fields[12])
            elif int(status.parent.name) == self.postmaster:
                spent += sum(int(fields[at]) for at in (11, 12, 13, 14))
        return spent / TICKS

    def pgbench(self, name: str, script: str, clients: int, seconds: int) -> dict:
        file = self.server.folder / f"{name}.sql"
        file.write_text(script)
        file.chmod(0o644)
        done = subprocess.run(
            as_server_user(str(BIN / "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T",
                           str(seconds), "-f", str(file), self.url),
            capture_output=True, text=True, check=True, cwd="/",
        )
        rate = float(re.search(r"tps = ([\d.]+)", done.stdout)[1])
        latency = float(re.search(r"latency average = ([\d.]+)", done.stdout)[1])
        return {"what": f"pgbench, {name}", "senders": clients, "per_second": rate, "p50_ms": latency}

    def remove(self):
        self.server.remove()


class Worker:
    def __init__(self, programs: pathlib.Path, database: Database, secrets: str):
        env = dict(os.environ, DB_URL=database.url, SECRETS_KEY=secrets, BOOTSTRAP_TOKEN=TOKEN, LOG_LEVEL="error",
                   RATE_LIMIT_PER_TOKEN="1000000")
        self.process = subprocess.Popen(
            [str(programs / "convene"), "--port", "0", "serve"], env=env, stdout=subprocess.PIPE, text=True
        )
        said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)", said.partition("//")[2])[1])

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


class Run:
    def __init__(self, given):
        self.given, self.programs = given, pathlib.Path(given.programs)
        self.database = Database()
        self.secrets = base64.b64encode(os.urandom(32)).decode()
        self.workers = []

    def set_workers(self, count: int):
        while len(self.workers) > count:
            self.workers.pop().stop()
        while len(self.workers) < count:
            self.workers.append(Worker(self.programs, self.database, self.secrets))

    def send(self, what: str, rooms: int, workers: int, senders: int, messages: int, *more: str) -> dict:
        self.set_workers(workers)
        servers = ",".join(f"{one.port}:{one.process.pid}" for one in self.workers)
        watched, most = threading.Event(), [0]

        def watch():
            while not watched.wait(0.5):
                most[0] = max(most[0], int(self.database.ask(
                    "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'convene %'")[0]))

        watcher = threading.Thread(target=watch)
        watcher.start()
        before = self.database.counters()
        done = subprocess.run(
            [str(self.programs / "convene_bench_send"), "--servers", servers, "--rooms", str(rooms), "--senders",
             str(senders), "--messages", str(messages), *more],
            capture_output=True, text=True,
        )
        after = self.database.counters()
        watched.set()
        watcher.join()
        if done.returncode != 0:
            sys.exit(f"{what}: {done.stderr}")
        seen = json.loads(done.stdout)
        # Making the rooms and the round before are a part of what the database counted.
        sent = messages + rooms
        return {
            "what": what, "rooms": rooms, "workers": workers, "senders": senders, **seen,
            "database_us": (after["cpu"] - before["cpu"]) * 1e6 / sent,
            "transactions": (after["transactions"] - before["transactions"]) / sent,
            "syncs": (after["syncs"] - before["syncs"]) / sent,
            "connections": most[0],
        }

    def show(self, row: dict) -> dict:
        if self.given.json:
            print(json.dumps(row), flush=True)
        else:
            cells = [row.get(column, "") for column in COLUMNS]
            print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |",
                  flush=True)
        return row

    def bare_effect(self) -> dict:
        """What a message does at least: one row moves, one is added, and it is on disk."""
        self.database.ask(
            "CREATE TABLE bench_rooms (id bigint PRIMARY KEY, next bigint NOT NULL) WITH (fillfactor = 70)")
        self.database.ask("INSERT INTO bench_rooms SELECT n, 0 FROM generate_series(1, 200) n")
        self.database.ask("CREATE TABLE bench_events (room bigint, at bigint, content text, PRIMARY KEY (room, at))")
        step = ("WITH r AS (UPDATE bench_rooms SET next = next + 1 WHERE id = {} RETURNING id, next) INSERT INTO"
                " bench_events SELECT id, next, repeat('x', 1024) FROM r;\n")
        rates = {}
        for clients in (1, 16, 64):
            one = self.show(self.database.pgbench("one row", step.format(1), clients, self.given.seconds))
            many = self.show(self.database.pgbench(
                "200 rows", "\\set room random(1, 200)\n" + step.format(":room"), clients, self.given.seconds))
            rates[clients] = (one["per_second"], many["per_second"])
        return rates

    def run(self):
        if not self.given.json:
            print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
        bare = self.bare_effect()
        seen = {}
        rooms = (1, 200) if self.given.quick else (1, 200, 1000)
        workers = (1, 2) if self.given.quick else (1, 2, 4)
        for count in workers:
            for number in rooms:
                for senders in (1, 16, 64):
                    messages = self.given.messages // 10 if senders == 1 else self.given.messages
                    row = self.send("committed", number, count, senders, messages)
                    seen[number, count, senders] = self.show(row)["per_second"]
        delivered = self.show(self.send(
            "delivered to one", 200, 1, 16, self.given.messages, "--wait", "delivered", "--recipients", "1"))
        self.show(self.send(
            "delivered to one", 1, 1, 1, self.given.messages // 10, "--wait", "delivered", "--recipients", "1"))
        self.show(self.send(
            "delivered to one", 1, 1, 16, self.given.messages, "--wait", "delivered", "--recipients", "1"))
        if not self.given.json:
            print(f"\nhot room, 64 senders, 2 workers: {seen[1, 2, 64] / bare[64][0]:.2f} x pgbench on one row (goal 5)")
            print(f"200 rooms, 16 senders: {seen[200, 1, 16] / bare[16][1]:.2f} x pgbench (goal 0.40)")
            print(f"the same with one recipient: {delivered['per_second'] / bare[16][1]:.2f} x (goal 0.30)")

    def close(self):
        self.set_workers(0)
        self.database.remove()


def main():
    given = argparse.ArgumentParser()
    given.add_argument("programs")
    given.add_argument("--messages", type=int, default=20_000)
    given.add_argument("--seconds", type=int, default=5, help="of each run of pgbench")
    given.add_argument("--json", action="store_true")
    given.add_argument("--quick", action="store_true")
    run = Run(given.parse_args())
    started = time.monotonic()
    try:
        run.run()
    finally:
        run.close()
    if not run.given.json:
        print(f"\n{time.monotonic() - started:.0f} s in all", flush=True)


if __name__ == "__main__":
    main()
