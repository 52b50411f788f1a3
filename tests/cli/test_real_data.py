#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# 1,200 real dialogues, where they are at hand: in $CONVENE_SHARED/data or beside the checkout.

import os
import sys
from pathlib import Path

from cli_case import ROOT, main
from import_checks import ImportChecks

SHARED = Path(os.environ.get("CONVENE_SHARED", ROOT.parent / "shared"))
DIALOGUES = SHARED / "data/dialogues.jsonl"

# For ctest: the test did not run.
SKIPPED = 77


class RealData(ImportChecks):
    input = DIALOGUES

    def test_imports_exports_and_imports_again(self):
        self.assertEqual((len(self.dialogues()), self.turns()), (1200, 18986))
        self.check_whole_import()
        self.check_second_import_changes_nothing()
        self.check_export_travels_unchanged()

    def test_survives_being_killed(self):
        exported = self.check_killed_imports()
        self.convene("import", self.input, db="undisturbed.db")
        self.assertEqual(exported, self.export("undisturbed.db"))


if __name__ == "__main__":
    if not DIALOGUES.exists():
        print(f"did not run: there is no {DIALOGUES}")
        sys.exit(SKIPPED)
    main()
