# SPDX-License-Identifier: Apache-2.0
# The PostgreSQL server under measurement: it syncs to disk, and is asked what it did.

import os
import pathlib
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
from postgres_server import BIN, PostgresServer, as_server_user  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
# Nobody is declared dead so soon after the database's start.
GRACE = 10.0


class Database:
    def __init__(self):
        self.server = PostgresServer.make()
        self.server.start(max_connections="200", shared_buffers="256MB")
        self.started_at = time.monotonic()
        self.url = f"postgresql://convene@/postgres?host={self.server.folder}"
        self.postmaster = int((self.server.data / "postmaster.pid").read_text().split()[0])

    def command(self) -> list[str]:
        return [str(BIN / "psql"), "-XAtq", "-d", self.url]

    def rows(self, sql: str) -> list[list[str]]:
        done = subprocess.run([*self.command(), "-c", sql], capture_output=True, text=True, check=True)
        return [line.split("|") for line in done.stdout.splitlines()]

    def ask(self, sql: str) -> list[str]:
        """The one row of the answer."""
        found = self.rows(sql)
        return found[0] if found else []

    def counters(self) -> dict:
        commits, syncs = self.ask(
            "SELECT sum(xact_commit), (SELECT wal_sync FROM pg_stat_wal) FROM pg_stat_database"
        )
        user, system = self.cpu()
        return {"transactions": int(commits), "syncs": int(syncs), "user": user, "system": system}

    def cpu(self) -> tuple[float, float]:
        """Seconds of all its processes, those that ended included."""
        user = system = 0.0
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            if int(fields[1]) == self.postmaster:
                user, system = user + int(fields[11]), system + int(fields[12])
            elif int(status.parent.name) == self.postmaster:
                user, system = user + int(fields[11]) + int(fields[13]), system + int(fields[12]) + int(fields[14])
        return user / TICKS, system / TICKS

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

    def sync_us(self, count: int = 200) -> float:
        """What one `fdatasync` takes where its data lie, of 8 KiB that are there already as in its log: the median."""
        page, times = bytes(8192), []
        with open(self.server.data / "bench-sync", "wb") as file:
            for _ in range(count):
                os.pwrite(file.fileno(), page, 0)
                started = time.perf_counter()
                os.fdatasync(file.fileno())
                times.append(time.perf_counter() - started)
        os.unlink(file.name)
        return sorted(times)[count // 2] * 1e6

    def wait_for_verdicts(self):
        """Until a worker that dies can be declared dead."""
        time.sleep(max(0.0, self.started_at + GRACE + 1.0 - time.monotonic()))

    def remove(self):
        self.server.remove()


class Connections:
    """Counts those of workers while it is entered; `most` is the most that were open."""

    def __init__(self, database: Database):
        self.database, self.most, self.ended = database, 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ended.wait(0.5):
            counted = self.database.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'convene %'")
            self.most = max(self.most, int(counted[0]))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


class Snapshot:
    """A session that holds one open while it is entered, as a long report or a forgotten terminal does."""

    def __init__(self, database: Database):
        self.database = database

    def __enter__(self):
        self.process = subprocess.Popen(
            self.database.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.process.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM rooms;\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
