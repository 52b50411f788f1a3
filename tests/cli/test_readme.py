#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What README.md and `./dev up` show works, word for word.

import re
import shlex
import shutil
import subprocess

import cli_case
from cli_case import PATIENCE, ROOT, CliCase, main


class Readme(CliCase):
    # Every command of the first five minutes, as it stands there, in an empty folder.
    def test_the_first_five_minutes(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        minutes = text[text.index("## The first five minutes") :]
        block = re.search(r"```sh\n(.*?)```", minutes, re.DOTALL)[1]
        self.assertGreaterEqual(block.count("\nconvene "), 10)
        alias = 'alias convene="$(./dev bin)"'
        self.assertIn(alias, block)
        script = block.replace(alias, f'convene() {{ {shlex.quote(cli_case.program)} "$@"; }}')
        shutil.copytree(ROOT / "share", self.folder / "share")
        ran = subprocess.run(
            ["bash", "-euc", script], cwd=self.folder, env=self.environment, capture_output=True, timeout=PATIENCE
        )
        self.assertEqual(ran.returncode, 0, ran.stdout.decode() + ran.stderr.decode())
        self.assertIn("Yes. How can I help?", ran.stdout.decode())

if __name__ == "__main__":
    main()
