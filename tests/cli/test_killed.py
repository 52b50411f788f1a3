#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# An import that is killed -9 again and again, on the sample under many names.

from cli_case import SAMPLE, jsonl, main, read_jsonl
from import_checks import ImportChecks


class KilledImport(ImportChecks):
    concurrency = 8

    def setUp(self):
        super().setUp()
        sample = read_jsonl(SAMPLE)
        many = [d | {"dialogue_id": f"{d['dialogue_id']}-{copy}"} for copy in range(20) for d in sample]
        self.input = self.write("many.jsonl", jsonl(*many))

    # The end is that of an import nobody disturbed; each kill repeats at most one message of each room in flight.
    def test_ends_as_if_nothing_had_happened(self):
        exported = self.check_killed_imports()
        self.convene("import", self.input, db="undisturbed.db")
        self.assertEqual(exported, self.export("undisturbed.db"))


if __name__ == "__main__":
    main()
