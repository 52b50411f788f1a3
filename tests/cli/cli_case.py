# SPDX-License-Identifier: Apache-2.0
# What the tests of the program share: running it in an empty folder, with nothing of the caller's settings.
"""Usage of a test file: `python3 test_import.py PROGRAM [unittest arguments]`."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "share/sample/dialogues.jsonl"

# Longer than anything here takes on a busy machine; a hang fails instead of blocking the run.
PATIENCE = 120

program = ""


class Ended(NamedTuple):
    code: int
    out: str
    err: str

    def lines(self) -> list:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    def json(self):
        return json.loads(self.out)


def dialogue(name: str, *texts: str) -> dict:
    """A dialogue whose turns alternate between user and system."""
    turns = [{"speaker": ("user", "system")[i % 2], "text": text} for i, text in enumerate(texts)]
    return {"dialogue_id": name, "services": ["test"], "turns": turns}


def jsonl(*records) -> bytes:
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records).encode()


def read_jsonl(path: Path) -> list:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class CliCase(unittest.TestCase):
    """Each test has a folder of its own, which is where the program runs; the database is `test.db` there."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="convene_cli_")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("CONVENE_") and key not in ("DB_URL", "LOG_LEVEL")
        }
        self.environment["DB_URL"] = "sqlite:///test.db"

    def start(self, *arguments, db=None, **more) -> subprocess.Popen:
        environment = self.environment | ({"DB_URL": f"sqlite:///{db}"} if db else {})
        process = subprocess.Popen(
            [program, *map(str, arguments)],
            cwd=self.folder,
            env=environment | more.pop("env", {}),
            stdin=more.pop("stdin", subprocess.DEVNULL),
            stdout=more.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            **more,
        )
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process: subprocess.Popen):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream and not stream.closed:
                stream.close()

    def finish(self, process: subprocess.Popen, data: bytes | None = None) -> Ended:
        out, err = process.communicate(data, timeout=PATIENCE)
        return Ended(process.returncode, out.decode(), err.decode())

    def run_any(self, *arguments, data: bytes | None = None, **more) -> Ended:
        """Runs the program, however it ends."""
        stdin = subprocess.DEVNULL if data is None else subprocess.PIPE
        return self.finish(self.start(*arguments, stdin=stdin, **more), data)

    def convene(self, *arguments, code: int = 0, **more) -> Ended:
        """Runs the program and expects it to end with `code`."""
        ended = self.run_any(*arguments, **more)
        self.assertEqual(ended.code, code, f"{arguments}\nout: {ended.out}\nerr: {ended.err}")
        return ended

    def write(self, name: str, content: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def export(self, db=None) -> str:
        return self.convene("export", db=db).out

    def said(self, room: str, db=None) -> list[tuple[str, str]]:
        """Speaker and text of everything in a room, after a look at the indexes."""
        events = self.convene("tail", room, "--after", -1, "--json", db=db).lines()
        self.assertEqual([e["index"] for e in events], list(range(len(events))), "indexes are dense")
        return [(e["source"]["participant_id"], e["content"]["body"]) for e in events]

    def wait_until(self, holds, what: str):
        """Asks again and again, since another process is at work."""
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, f"waited in vain until {what}")
            time.sleep(0.005)

    def interrupt(self, process: subprocess.Popen, number=signal.SIGINT) -> Ended:
        """Its input stays open until it has ended: the end of it, seen before the signal, would end it otherwise."""
        process.send_signal(number)
        held, process.stdin = process.stdin, None
        ended = self.finish(process)
        if held:
            held.close()
        return ended


def main():
    global program
    program = str(Path(sys.argv.pop(1)).resolve())
    sys.modules["cli_case"].program = program
    unittest.main(module="__main__")
