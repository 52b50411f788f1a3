#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Starts and stops the tests' own PostgreSQL server: shared by a test run, or a test's own.
#
# usage: postgres_server.py start|stop ADDRESS_FILE
#
# `start` writes the address that clients connect with into ADDRESS_FILE; `stop` reads it there. That server is reached
# only through a socket in its folder and does not sync to disk: tests that are about durability start their own.

import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")


class ServerError(Exception):
    """A command of the server failed; the text is what it said."""


def as_server_user(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


def give_to_server_user(folder: pathlib.Path) -> None:
    if os.geteuid() == 0:
        server_user = pwd.getpwnam("postgres")
        os.chown(folder, server_user.pw_uid, server_user.pw_gid)


def run(*command: str) -> str:
    """What the command said. As the server's user."""
    done = subprocess.run(
        as_server_user(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/"
    )
    if done.returncode != 0:
        raise ServerError(f"{' '.join(command)}: {done.stdout}")
    return done.stdout


class PostgresServer:
    """A server whose data, log and socket lie in one folder of its user's, with `convene` as its superuser."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.data = folder / "data"

    @classmethod
    def make_without_data(cls) -> "PostgresServer":
        folder = pathlib.Path(tempfile.mkdtemp(prefix="convene-postgres-"))
        give_to_server_user(folder)
        return cls(folder)

    @classmethod
    def make(cls) -> "PostgresServer":
        """Has a folder and data of its own, and does not run yet."""
        made = cls.make_without_data()
        run(str(BIN / "initdb"), "--pgdata", str(made.data), "--username", "convene", "--auth", "trust",
            "--encoding", "UTF8", "--no-locale", "--no-sync", "--wal-segsize", "1")
        return made

    def copy(self) -> "PostgresServer":
        """Another one with the same data. *Requires*: this one does not run."""
        made = PostgresServer.make_without_data()
        run("cp", "--archive", str(self.data), str(made.data))
        return made

    def address(self) -> str:
        """Of its socket, for its superuser."""
        return f"host={self.folder} user=convene dbname=postgres"

    def start(self, **settings) -> None:
        """`settings` are those of postgresql.conf."""
        given = {"listen_addresses": "''", "unix_socket_directories": str(self.folder), **settings}
        options = " ".join(f"-c {name}={value}" for name, value in given.items())
        # Its output goes to a file: whoever waits for ours must not wait for the server's.
        run(str(BIN / "pg_ctl"), "start", "--wait", "--pgdata", str(self.data), "--log", str(self.folder / "log"),
            "--options", options)

    def admit(self, network: str) -> None:
        """Whoever comes from there is who they say. From the next start on."""
        with open(self.data / "pg_hba.conf", "a") as rules:
            rules.write(f"host all all {network} trust\n")

    def is_running(self) -> bool:
        return (self.data / "postmaster.pid").exists()

    def stop(self, mode: str = "immediate") -> None:
        if self.is_running():
            run(str(BIN / "pg_ctl"), "stop", "--mode", mode, "--pgdata", str(self.data))

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def start(address_file: pathlib.Path) -> None:
    if address_file.exists():
        stop(address_file)
    server = PostgresServer.make()
    address_file.parent.mkdir(parents=True, exist_ok=True)
    # Written first: what is started can then be stopped, whatever happens in between.
    address_file.write_text(server.address())
    server.start(fsync="off", max_connections=200, shared_buffers="64MB")


def stop(address_file: pathlib.Path) -> None:
    if not address_file.exists():
        return
    folder = pathlib.Path(address_file.read_text().split()[0].removeprefix("host="))
    PostgresServer(folder).remove()
    address_file.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("start", "stop"):
        sys.exit("usage: postgres_server.py start|stop ADDRESS_FILE")
    try:
        {"start": start, "stop": stop}[sys.argv[1]](pathlib.Path(sys.argv[2]))
    except ServerError as refused:
        sys.exit(str(refused))
