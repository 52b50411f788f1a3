#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Shows which promises of docs/contract.md are proven by the tests that ran, and fails on an unproven claim.
"""A test names what it proves in the comment directly above it:

    // A second writer is refused, and the file stays as it was.
    // Proves: S5, R3 (ext:L4)
    TEST(SqliteStore, RefusesASecondWriter) { … }

and a test that ctest runs as a whole does so above its `add_test(NAME …)`, with `# Proves: …`. Ids in
parentheses or behind a prefix (`ext:L4`) cite another list and never count. A test proves something only if
the report of the last run says that it ran and passed.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import NamedTuple

from checks import CPP, ROOT, Finding, files

ENTRY = re.compile(r"^- \*\*([A-Z]\d+[a-z]?)\*\* +(.*)")
ID = re.compile(r"(?<![\w:])[A-Z]\d+[a-z]?\b")
PROVES = re.compile(r"^\s*(?://|#)\s*Proves:\s*(.*)")
COMMENT = re.compile(r"^\s*(?://|#)\s?(.*)")
GTEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\(\s*(\w+)\s*,\s*(\w+)\s*\)")
CTEST = re.compile(r"^\s*add_test\(\s*NAME\s+([\w.]+)")


class Test(NamedTuple):
    name: str
    ids: list[str]


def promises(root: Path) -> dict[str, str]:
    """Every id of the contract with the first line of its sentence."""
    lines = (root / "docs/contract.md").read_text().splitlines()
    return {m[1]: m[2] for m in map(ENTRY.match, lines) if m}


def claims(root: Path) -> list[str]:
    """The ids that must be proven."""
    lines = (root / "tests/contract-claims.txt").read_text().splitlines()
    return [word for line in lines if (word := line.split("#")[0].strip())]


def tests_that_prove(root: Path) -> tuple[list[Test], list[Finding]]:
    """The tests with a `Proves:` comment, and the comments that belong to no test."""
    tests, findings = [], []
    for file in files(root, CPP + ("CMakeLists.txt",), ("tests",)):
        path = file.relative_to(root).as_posix()
        lines = file.read_text(errors="replace").splitlines()
        for number, line in enumerate(lines):
            if not (proves := PROVES.match(line)):
                continue
            text, below = proves[1], number + 1
            # A list that ends in a comma goes on in the next line; then the comment may go on.
            while below < len(lines) and (comment := COMMENT.match(lines[below])):
                if text.rstrip().endswith(","):
                    text += " " + comment[1]
                below += 1
            # The formatter may break the line after the parenthesis; a blank line is not "directly above".
            head = " ".join(lines[below : below + 3]) if lines[below : below + 1] != [""] else ""
            ids = ID.findall(re.sub(r"\([^)]*\)", "", text))
            if test := GTEST.match(head):
                tests.append(Test(f"{test[1]}.{test[2]}", ids))
            elif test := CTEST.match(head):
                tests.append(Test(test[1], ids))
            else:
                findings.append(Finding(path, number + 1, "'Proves:' is not directly above a test"))
            if not ids:
                findings.append(Finding(path, number + 1, "'Proves:' names no id"))
    return tests, findings


def outcomes(reports: list[Path]) -> dict[str, bool]:
    """For each test of the reports, by its ctest name: did it run and pass, in every report that has it?"""
    passed: dict[str, bool] = {}
    for report in reports:
        root = ElementTree.parse(report).getroot()
        # GoogleTest's own report of a program, which is called `<program>.<shard>.xml`; else one of ctest.
        program = report.name.split(".")[0] + "." if root.tag == "testsuites" else ""
        for case in root.iter("testcase"):
            name = f"{program}{case.get('classname')}.{case.get('name')}" if program else case.get("name")
            ok = case.get("status") == "run" and case.find("failure") is None and case.find("skipped") is None
            passed[name] = passed.get(name, True) and ok
    return passed


def has_passed(test: str, ran: dict[str, bool]) -> bool:
    """Whether all instances of a test passed: `exe.Suite.Case`, `exe.Prefix/Suite.Case/value`, …"""
    if test in ran:
        return ran[test]
    suite, _, case = test.partition(".")
    instance = re.compile(rf"(?:\w+\.)(?:\w+/)?{re.escape(suite)}(?:/[^.]*)?\.{re.escape(case)}(?:/.*)?")
    results = [ok for name, ok in ran.items() if instance.fullmatch(name)]
    return bool(results) and all(results)


def naming_errors(root: Path) -> list[Finding]:
    """Ids that the contract does not have, and comments that belong to no test."""
    known = promises(root)
    tests, findings = tests_that_prove(root)
    for test in tests:
        for unknown in sorted(set(test.ids) - known.keys()):
            findings.append(Finding("tests", 0, f"{test.name} proves '{unknown}', which is not in docs/contract.md"))
    for claim in claims(root):
        if claim not in known:
            findings.append(Finding("tests/contract-claims.txt", 0, f"'{claim}' is not in docs/contract.md"))
    return findings


def proofs(root: Path, reports: list[Path]) -> dict[str, list[str]]:
    """For each id of the contract: the tests that name it and passed."""
    ran = outcomes(reports)
    proven: dict[str, list[str]] = {id: [] for id in promises(root)}
    for test in tests_that_prove(root)[0]:
        if has_passed(test.name, ran):
            for id in test.ids:
                if id in proven:
                    proven[id].append(test.name)
    return proven


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to look at")
    parser.add_argument("--names-only", action="store_true", help="check the comments; needs no report")
    parser.add_argument("report", type=Path, nargs="*", help="JUnit reports of ctest, reports of GoogleTest")
    arguments = parser.parse_args()

    findings = naming_errors(arguments.root)
    for finding in findings:
        print(finding, file=sys.stderr)
    if findings or arguments.names_only:
        return 1 if findings else 0

    proven = proofs(arguments.root, arguments.report)
    claimed = claims(arguments.root)
    for id, tests in proven.items():
        if tests or id in claimed:
            print(f"{id:<5} -> {', '.join(tests) if tests else 'NOT PROVEN'}")
    unproven = [id for id in claimed if not proven[id]]
    with_proof = sum(1 for tests in proven.values() if tests)
    print(f"\n{len(proven)} promises: {len(claimed)} claimed, {with_proof} proven by a test that passed")
    if unproven:
        print(f"claimed and not proven: {', '.join(unproven)}", file=sys.stderr)
    return 1 if unproven else 0


if __name__ == "__main__":
    sys.exit(main())
