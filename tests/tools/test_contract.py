# SPDX-License-Identifier: Apache-2.0
# What counts as a proof: an id in the right place, above a test that the report shows as passed.

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import contract

CONTRACT = """
## R. Rooms
- **R1** Every event has an index.
- **R2** It is unique.
- **R11a** Replies name their cause.
## L. Locks
- **L1** One interface.
"""


class Checkout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("docs/contract.md", CONTRACT)
        self.write("tests/contract-claims.txt", "# none\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def proven(self, *cases: str) -> dict[str, list[str]]:
        self.write("report.xml", f"<testsuite>{''.join(cases)}</testsuite>")
        proofs = contract.proofs(self.root, [self.root / "report.xml"])
        return {id: tests for id, tests in proofs.items() if tests}


def passed(name: str) -> str:
    return f'<testcase name="{name}" status="run"/>'


class Proofs(Checkout):
    def test_a_passed_test_proves_the_ids_above_it(self):
        self.write("tests/a_test.cpp", "// A promise.\n// Proves: R1, R11a\nTEST(Lane, Keeps) {}\n")
        self.assertEqual(self.proven(passed("unit_room.Lane.Keeps")), {"R1": ["Lane.Keeps"], "R11a": ["Lane.Keeps"]})

    def test_a_test_that_failed_was_skipped_or_did_not_run_proves_nothing(self):
        self.write("tests/a_test.cpp", "// Proves: R1\nTEST(Lane, Keeps) {}\n")
        name = "unit_room.Lane.Keeps"
        self.assertEqual(self.proven(), {})
        self.assertEqual(self.proven(f'<testcase name="{name}" status="fail"><failure/></testcase>'), {})
        self.assertEqual(self.proven(f'<testcase name="{name}" status="notrun"><skipped/></testcase>'), {})
        self.assertEqual(self.proven(f'<testcase name="{name}" status="disabled"/>'), {})

    def test_a_program_that_was_run_as_a_whole_reports_its_cases(self):
        self.write("tests/a_test.cpp", "// Proves: R1\nTEST(Lane, Keeps) {}\n// Proves: R2\nTEST_P(Store, Keeps) {}\n")
        cases = (
            '<testcase classname="Lane" name="Keeps" status="run"/>'
            '<testcase classname="Every/Store" name="Keeps/Sqlite" status="run"/>'
            '<testcase classname="Every/Store" name="Keeps/Postgres" status="run">{}</testcase>'
        )
        for ending, kept in (("", {"R1", "R2"}), ("<failure/>", {"R1"}), ("<skipped/>", {"R1"})):
            report = f"<testsuites><testsuite>{cases.format(ending)}</testsuite></testsuites>"
            self.write("unit_room.0.xml", report)
            proofs = contract.proofs(self.root, [self.root / "unit_room.0.xml"])
            self.assertEqual({id for id, tests in proofs.items() if tests}, kept)

    def test_citations_of_another_list_never_count(self):
        self.write("tests/a_test.cpp", "// Proves: R1 (ext:L1, L1), ext:R2\nTEST(Lane, Keeps) {}\n")
        self.assertEqual(self.proven(passed("unit_room.Lane.Keeps")), {"R1": ["Lane.Keeps"]})

    def test_a_list_may_be_wrapped_and_a_comment_may_follow(self):
        self.write("tests/a_test.cpp", "// Proves: R1,\n// R2\n// As R11a says.\nTEST_F(\n    Lane, Keeps\n) {}\n")
        self.assertEqual(self.proven(passed("u.Lane.Keeps")), {"R1": ["Lane.Keeps"], "R2": ["Lane.Keeps"]})

    def test_every_instance_of_a_parameterised_test_must_pass(self):
        self.write("tests/a_test.cpp", "// Proves: R1\nTEST_P(Store, Appends) {}\n")
        memory, sqlite = "store.All/Store.Appends/memory", "store.All/Store.Appends/sqlite"
        self.assertEqual(self.proven(passed(memory), passed(sqlite)), {"R1": ["Store.Appends"]})
        self.assertEqual(self.proven(passed(memory), f'<testcase name="{sqlite}" status="fail"/>'), {})

    def test_a_longer_name_is_another_test(self):
        self.write("tests/a_test.cpp", "// Proves: R1\nTEST(Lane, Keeps) {}\n")
        self.assertEqual(self.proven(passed("unit_room.Lane.KeepsOrder"), passed("unit_room.Plane.Keeps")), {})

    def test_a_test_of_ctest_counts_as_a_whole(self):
        self.write("tests/sim/CMakeLists.txt", "# Proves: R1\nadd_test(NAME sim.seeds COMMAND x)\n")
        self.assertEqual(self.proven(passed("sim.seeds")), {"R1": ["sim.seeds"]})


class Names(Checkout):
    def errors(self) -> int:
        return len(contract.naming_errors(self.root))

    def test_an_unknown_id_is_an_error(self):
        self.write("tests/a_test.cpp", "// Proves: R9\nTEST(Lane, Keeps) {}\n")
        self.assertEqual(self.errors(), 1)

    def test_an_unknown_claim_is_an_error(self):
        self.write("tests/contract-claims.txt", "R1  # kept\nZ1\n")
        self.assertEqual(self.errors(), 1)

    def test_a_comment_apart_from_its_test_is_an_error(self):
        self.write("tests/a_test.cpp", "// Proves: R1\n\nTEST(Lane, Keeps) {}\n")
        self.assertEqual(self.errors(), 1)


if __name__ == "__main__":
    unittest.main()
