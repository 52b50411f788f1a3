#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What `./dev up` starts works, and the README's words about a server do, as they stand there.

import re
import shutil
import signal
import socket
import subprocess

from served_case import PATIENCE, ROOT, ServedCase, main, program


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Up(ServedCase):
    def setUp(self):
        super().setUp()
        (self.folder / "tools/dev").mkdir(parents=True)
        shutil.copy(ROOT / "tools/dev/up.sh", self.folder / "tools/dev/up.sh")
        shutil.copytree(ROOT / "share", self.folder / "share")
        (self.folder / "web/dist").mkdir(parents=True)
        (self.folder / "web/dist/index.html").write_text("<!doctype html><title>page</title>")

    def start_up(self):
        """Starts it on a port of its own; keeps the token that it prints."""
        self.port = free_port()
        self.server = subprocess.Popen(
            [self.folder / "tools/dev/up.sh"],
            env=self.environment | {"CONVENE_BIN": program(), "PORT": str(self.port)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.addCleanup(self._end, self.server)
        said = ""
        while "#link=" not in said:
            line = self.server.stdout.readline().decode()
            if not line:
                self.fail(f"it did not start: {said}{self.server.stderr.read().decode()}")
            said += line
        self.token = re.search(r"export CONVENE_TOKEN=(\S+)", said)[1]

    # Twice: into a fresh database, and into the one that is there.
    def test_up(self):
        for _ in (1, 2):
            self.start_up()
            status, _, page = self.client(self.token).ask("GET", "/api/v1/rooms?limit=200")
            self.assertEqual(status, 200, page)
            self.assertEqual(len(page["rooms"]), 12)
            self.assertIn("support-42", [room["external_id"] for room in page["rooms"]])
            self.server.send_signal(signal.SIGTERM)
            self.assertEqual(self.server.wait(PATIENCE), 0)

    # The commands of the README, in a shell.
    def test_the_readme(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        section = text[text.index("## A server") :]
        script = re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]
        self.assertIn("127.0.0.1:8080", script)
        self.start_up()
        ran = subprocess.run(
            ["bash", "-euc", script.replace("8080", str(self.port))],
            env=self.environment | {"CONVENE_TOKEN": self.token},
            capture_output=True,
            timeout=PATIENCE,
        )
        said = ran.stdout.decode()
        self.assertEqual(ran.returncode, 0, said + ran.stderr.decode())
        refusal = re.search(r'.{0,200}"code":"[A-Z].{0,200}', said)
        self.assertIsNone(refusal, refusal)
        # The document is long: what is missing is named without it.
        for expected in ('"replayed":true', "id: 0\nevent: message\n", '"openapi":"3.1.0"'):
            self.assertTrue(expected in said, expected)


if __name__ == "__main__":
    main()
