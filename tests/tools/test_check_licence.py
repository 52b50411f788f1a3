# SPDX-License-Identifier: Apache-2.0
# What the licence check accepts as the first lines of a source.

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_licence import check

LICENCE = "SPDX-License-Identifier: Apache-2.0"


class FirstLines(unittest.TestCase):
    def findings(self, name: str, text: str) -> int:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "src").mkdir()
            (Path(folder) / "src" / name).write_text(text)
            return len(check(Path(folder)))

    def test_licence_and_sentence_are_accepted(self):
        self.assertEqual(self.findings("a.hpp", f"// {LICENCE}\n// What it is for.\n#pragma once\n"), 0)
        self.assertEqual(self.findings("a.cpp", f"// {LICENCE}\n// A long sentence that\n// is wrapped. And more\n"), 0)
        self.assertEqual(self.findings("a.sh", f"#!/bin/sh\n# {LICENCE}\n# What it is for.\n"), 0)
        self.assertEqual(self.findings("CMakeLists.txt", f"# {LICENCE}\n# What it is for.\n"), 0)

    def test_a_missing_licence_is_refused(self):
        self.assertEqual(self.findings("a.hpp", "#pragma once\n"), 1)
        self.assertEqual(self.findings("a.hpp", ""), 1)
        self.assertEqual(self.findings("a.hpp", f"\n// {LICENCE}\n// What it is for.\n"), 1)

    def test_a_missing_sentence_is_refused(self):
        self.assertEqual(self.findings("a.hpp", f"// {LICENCE}\n#pragma once\n"), 1)
        self.assertEqual(self.findings("a.hpp", f"// {LICENCE}\n// a.hpp\n"), 1)


if __name__ == "__main__":
    unittest.main()
