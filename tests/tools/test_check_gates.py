# SPDX-License-Identifier: Apache-2.0
# What the check of gates refuses: commits and deliveries from anywhere else (rk:M6, rk:M7).

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_gates import check

COMMIT = "auto done = co_await core_.store.commit(&tenure, std::move(batch), after);\n"
DELIVERY = "co_return co_await to->deliver(std::move(request));\n"


class Gates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def found_in(self, path: str, text: str) -> list[str]:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        return [f"{finding.path}:{finding.line}" for finding in check(self.root)]

    def test_the_gates_themselves_are_accepted(self):
        self.assertEqual(self.found_in("src/room/writer_commit.cpp", COMMIT), [])
        self.assertEqual(self.found_in("src/channel/target_runner.cpp", DELIVERY), [])

    def test_a_commit_elsewhere_is_refused(self):
        self.assertEqual(self.found_in("src/room/edits.cpp", "\n" + COMMIT), ["src/room/edits.cpp:2"])

    def test_a_commit_through_an_accessor_is_refused(self):
        self.assertEqual(self.found_in("src/app/x.cpp", "kit.store().commit(a, b, c);\n"), ["src/app/x.cpp:1"])

    def test_a_delivery_elsewhere_is_refused(self):
        self.assertEqual(self.found_in("src/room/sending.cpp", DELIVERY), ["src/room/sending.cpp:1"])

    def test_the_commit_of_a_transaction_is_none_of_a_room(self):
        self.assertEqual(self.found_in("src/store/postgres/schema.cpp", "return database.commit();\n"), [])

    def test_our_sources_pass(self):
        self.assertEqual(check(Path(__file__).resolve().parents[2]), [])


if __name__ == "__main__":
    unittest.main()
