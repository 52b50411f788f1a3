# SPDX-License-Identifier: Apache-2.0
# The PostgreSQL server of one test: over TCP, restarted and asked at will.

import atexit
import functools
import hashlib
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from postgres_server import BIN, PostgresServer, run  # noqa: E402

USER = "app"
DATABASE = "app"
LONGEST_QUESTION = 60  # seconds


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lease_key(kind: str, organization: str, ident: str) -> int:
    """The key of a lease, as docs/formats/lock-names.md has it."""
    fields = "".join(f"{len(text.encode())}:{text}," for text in (kind, organization, ident))
    digest = hashlib.sha256(f"convene-lease-1:{fields}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


# Session locks of one big key, with the key in one piece.
ADVISORY = (
    "SELECT l.pid, l.mode, l.granted, (l.classid::bigint << 32) | l.objid::bigint AS key, a.application_name"
    " FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
    f" WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND a.datname = '{DATABASE}'"
)


@functools.cache
def prepared() -> PostgresServer:
    """A server that is copied for each test: it knows the user and the database, and does not run."""
    made = PostgresServer.make()
    atexit.register(made.remove)
    made.start(fsync="off")
    for program, *arguments in (("createuser", USER), ("createdb", "-O", USER, DATABASE)):
        run(str(BIN / program), "-h", str(made.folder), "-U", "convene", *arguments)
    made.stop("fast")
    return made


class Database:
    """`app`, owned by the user `app`, which is no superuser: the workers' own. Questions are asked by the superuser."""

    name = DATABASE

    def __init__(self, addresses=(), **settings):
        """`addresses`: of this machine, at which it listens as well, and trusts who comes through their networks."""
        self.addresses = ["127.0.0.1", *addresses]
        self.settings = {"fsync": "off", "max_connections": 200, "shared_buffers": "64MB"} | settings
        self.port = free_port()
        self.server = prepared().copy()
        for address in addresses:
            self.server.admit(f"{address}/24")
        self.start()

    def start(self):
        self.server.start(listen_addresses=",".join(self.addresses), port=self.port, **self.settings)

    def stop(self, mode: str):
        self.server.stop(mode)

    def restart(self, mode: str):
        self.stop(mode)
        self.start()

    def remove(self):
        self.server.remove()

    def url(self, port: int = 0, host: str = "127.0.0.1") -> str:
        """For workers; `port`: of something that stands between."""
        return f"postgresql://{USER}@{host}:{port or self.port}/{self.name}"

    def command(self) -> list[str]:
        """psql, reading statements from its input."""
        return [str(BIN / "psql"), "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", str(self.server.folder),
                "-p", str(self.port), "-U", "convene", self.name]

    def ask(self, sql: str, patience: float = LONGEST_QUESTION) -> list[list[str]]:
        """The rows of the answer, each value as text."""
        done = subprocess.run(
            [*self.command(), "-c", sql], capture_output=True, text=True, timeout=patience, check=False
        )
        if done.returncode != 0:
            raise AssertionError(f"{sql}\n{done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def value(self, sql: str) -> str:
        return self.ask(sql)[0][0]

    def number(self, sql: str) -> int:
        return int(self.value(sql))

    def end_sessions(self, condition: str) -> list[int]:
        """Ends the workers' sessions that pg_stat_activity shows under the condition, as an operator does."""
        ended = self.ask(
            "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{DATABASE}' AND application_name LIKE 'convene%' AND ({condition})"
        )
        return [int(pid) for pid, _ in ended]

    def sessions_of(self, incarnation: str) -> list[int]:
        found = self.ask(f"SELECT pid FROM pg_stat_activity WHERE application_name = 'convene {incarnation}'")
        return [int(pid) for (pid,) in found]

    def states(self) -> dict[str, int]:
        """What is on record of each incarnation: 1 live, 2 draining, 3 dead."""
        return {name: int(state) for name, state in self.ask("SELECT incarnation, state FROM workers")}


class Other(Database):
    """Another, empty database of the same server, for the same user."""

    def __init__(self, beside: Database, name: str):
        self.port, self.server, self.name = beside.port, beside.server, name
        beside.ask(f"CREATE DATABASE {name} OWNER {USER}")


class Standby(Database):
    """Follows another one, and may be promoted."""

    def __init__(self, primary: Database):
        self.settings, self.addresses, self.port = primary.settings, primary.addresses, free_port()
        self.server = PostgresServer.make_without_data()
        run(str(BIN / "pg_basebackup"), "-h", str(primary.server.folder), "-p", str(primary.port), "-U", "convene",
            "-D", str(self.server.data), "--write-recovery-conf", "--checkpoint=fast")
        self.start()

    def promote(self):
        run(str(BIN / "pg_ctl"), "promote", "--wait", "--pgdata", str(self.server.data))


class HeldLock:
    """A lock that an outsider holds, in a session of its own, until it is released."""

    def __init__(self, database: Database, key: int):
        self.process = subprocess.Popen(
            database.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.process.stdin.write(f"SELECT pg_advisory_lock({key});\n\\echo held\n")
        self.process.stdin.flush()
        while self.process.stdout.readline().strip() != "held":
            if self.process.poll() is not None:
                raise AssertionError("the session that was to hold the lock ended")

    def release(self):
        self.process.stdin.close()
        self.process.wait(LONGEST_QUESTION)
        self.process.stdout.close()
