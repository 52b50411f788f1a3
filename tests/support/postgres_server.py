#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Starts and stops the tests' own PostgreSQL server, reached only through a socket in its folder.
#
# usage: postgres_server.py start|stop ADDRESS_FILE
#
# `start` writes the address that clients connect with into ADDRESS_FILE; `stop` reads it there. The server does not
# sync to disk: tests that are about durability start their own.

import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")


def as_server_user(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


def run(*command: str) -> None:
    done = subprocess.run(
        as_server_user(*command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/"
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stdout}")


def start(address_file: pathlib.Path) -> None:
    if address_file.exists():
        stop(address_file)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="convene-postgres-"))
    if os.geteuid() == 0:
        server_user = pwd.getpwnam("postgres")
        os.chown(folder, server_user.pw_uid, server_user.pw_gid)
    data = folder / "data"
    run(str(BIN / "initdb"), "--pgdata", str(data), "--username", "convene", "--auth", "trust",
        "--encoding", "UTF8", "--no-locale", "--no-sync")
    settings = (
        f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        " -c max_connections=200 -c shared_buffers=64MB"
    )
    address_file.parent.mkdir(parents=True, exist_ok=True)
    # Written first: what is started can then be stopped, whatever happens in between.
    address_file.write_text(f"host={folder} user=convene dbname=postgres")
    # Its output goes to a file: whoever waits for ours must not wait for the server's.
    run(str(BIN / "pg_ctl"), "start", "--wait", "--pgdata", str(data), "--log", str(folder / "log"),
        "--options", settings)


def stop(address_file: pathlib.Path) -> None:
    if not address_file.exists():
        return
    folder = pathlib.Path(address_file.read_text().split()[0].removeprefix("host="))
    if (folder / "data" / "postmaster.pid").exists():
        run(str(BIN / "pg_ctl"), "stop", "--mode", "immediate", "--pgdata", str(folder / "data"))
    shutil.rmtree(folder, ignore_errors=True)
    address_file.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("start", "stop"):
        sys.exit("usage: postgres_server.py start|stop ADDRESS_FILE")
    {"start": start, "stop": stop}[sys.argv[1]](pathlib.Path(sys.argv[2]))
