# SPDX-License-Identifier: Apache-2.0
# A source that no CMakeLists.txt names is found, wherever it would have to be named.

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_registered import check


class Registered(unittest.TestCase):
    def findings(self, lists: dict[str, str], *sources: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**{f"{where}/CMakeLists.txt": t for where, t in lists.items()},
                               **{source: "" for source in sources}}.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text)
            return [finding.path for finding in check(Path(folder))]

    def test_a_named_source_is_accepted(self):
        self.assertEqual(self.findings({"src/a": "f(SOURCES x.cpp sub/y.cpp)"}, "src/a/x.cpp", "src/a/sub/y.cpp"), [])
        self.assertEqual(self.findings({"examples": "foreach(e IN ITEMS hello)"}, "examples/hello.cpp"), [])

    def test_an_unnamed_source_is_found(self):
        self.assertEqual(self.findings({"src/a": "f(SOURCES ax.cpp)  # x.cpp"}, "src/a/x.cpp"), ["src/a/x.cpp"])

    def test_a_name_counts_in_its_own_folder_only(self):
        lists = {"src/a": "f(SOURCES x.cpp)", "src/b": "f(SOURCES)"}
        self.assertEqual(self.findings(lists, "src/b/x.cpp"), ["src/b/x.cpp"])


if __name__ == "__main__":
    unittest.main()
