#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Published AG-UI clients against a server of the test's own. What they do is in agui/; its packages are installed by
# `need_peer_packages` of tools/dev/peers.sh.

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "served"))
from served_case import TOKEN, ServedCase, main  # noqa: E402

HERE = Path(__file__).resolve().parent / "agui"
LONGEST = 300  # seconds


class Agui(ServedCase):
    def test_the_published_client(self):
        self.start_server()
        env = os.environ | {"CONVENE_URL": f"http://127.0.0.1:{self.port}", "CONVENE_TOKEN": TOKEN}
        done = subprocess.run(["node", "--test", str(HERE)], cwd=HERE, env=env, timeout=LONGEST, check=False)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    main()
