# SPDX-License-Identifier: Apache-2.0
# One worker as a process: started, killed, frozen, told to stop; its log is kept in a file.

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from database import Database

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from served_case import PATIENCE, Client, program  # noqa: E402

# One for all: secrets that one worker sealed are opened by the others.
KEY = "MzIgYnl0ZXMgdGhhdCBhbGwgd29ya2VycyBzaGFyZSE="


def first_line_like(file: Path, pattern: str, process: subprocess.Popen, patience: float):
    """Waits until the process has written what the pattern finds, or has ended; then None."""
    end = time.monotonic() + patience
    while True:
        has_ended = process.poll() is not None
        found = re.search(pattern, file.read_text(errors="replace"))
        if found or has_ended:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{file.name}: waited in vain for {pattern}")
        time.sleep(0.01)  # between two looks


class Worker:
    """`convene serve` on the test's database. Its port stays when it is started again."""

    def __init__(self, name: str, folder: Path, database: Database, settings: dict, *arguments, address: str = ""):
        self.name, self.folder, self.database = name, folder, database
        self.settings, self.arguments = settings, arguments
        self.address = address or database.url()
        self.port, self.process, self.starts, self.incarnation, self.is_frozen = 0, None, 0, "", False
        self.host, self.enter = "127.0.0.1", []  # where it listens; what has to be put in front of its command
        self.program = program()

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}-{self.starts}.log"

    @property
    def output(self) -> Path:
        return self.folder / f"{self.name}-{self.starts}.out"

    def logged(self) -> str:
        return self.log.read_text(errors="replace")

    def launch(self):
        """Starts the process and waits for nothing."""
        self.starts += 1
        keep = {k: v for k, v in os.environ.items() if not k.startswith(("CONVENE_", "PG", "DB_", "LOG_"))}
        with open(self.output, "wb") as out, open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*self.enter, self.program, "--port", str(self.port), *map(str, self.arguments)],
                cwd=self.folder,
                env=keep | self.settings | {"DB_URL": self.address, "SECRETS_KEY": KEY},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
            )

    def wait_for_start(self) -> bool:
        """False if it ended instead."""
        found = first_line_like(self.output, r"Convene serves \w+://[^:]+:(\d+)[\s\S]*#link=", self.process, PATIENCE)
        if found is None:
            return False
        self.port = int(found[1])
        return True

    def start(self) -> "Worker":
        self.launch()
        if not self.wait_for_start():
            raise AssertionError(f"{self.name} did not start:\n{self.logged()}")
        self.incarnation = self.current_incarnation()
        return self

    def current_incarnation(self) -> str:
        incarnation, answer = self.try_incarnation()
        if incarnation is None:
            raise AssertionError(f"{self.name}: {answer}")
        return incarnation

    def try_incarnation(self):
        """None, and why, while the worker can't ask its database."""
        status, _, answer = self.ask("GET", "/api/v1/admin/workers?state=live")
        found = (one["incarnation"] for one in answer["workers"] if one["is_self"]) if status == 200 else iter(())
        return next(found, None), answer

    def ask(self, method: str, path: str, body=None, headers=None):
        client = Client(self.port, host=self.host)
        try:
            return client.ask(method, path, body, headers)
        finally:
            client.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def freeze(self):
        self.is_frozen = True
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        self.is_frozen = False

    def ask_to_stop(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> int:
        self.ask_to_stop()
        return self.process.wait(PATIENCE)

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def end(self):
        """Whatever state it is in, also a frozen one."""
        if self.is_running():
            self.process.kill()
            self.process.wait()
