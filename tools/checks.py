# SPDX-License-Identifier: Apache-2.0
# What the checks in this folder share: which files are ours, and how a finding is reported.
"""Every check has `check(root) -> list[Finding]` and calls `run(check)` when it is the program."""

import argparse
import sys
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CPP = (".hpp", ".cpp")
# Where source files may be. Anything else in the checkout (build trees, local data) is nobody's business.
FOLDERS = ("include", "src", "tests", "bench", "examples", "tools", "cmake")


class Finding(NamedTuple):
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def files(root: Path, suffixes: tuple[str, ...], folders: tuple[str, ...] = FOLDERS) -> Iterator[Path]:
    """Our files with one of the suffixes, in a stable order."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            is_ours = "node_modules" not in path.parts
            if is_ours and path.name.endswith(suffixes) and path.is_file():
                yield path


def run(check: Callable[[Path], list[Finding]]) -> None:
    """Prints the findings and exits: 0 when there is none, 1 otherwise."""
    parser = argparse.ArgumentParser(description=check.__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to look at")
    findings = check(parser.parse_args().root)
    for finding in findings:
        print(finding, file=sys.stderr)
    sys.exit(1 if findings else 0)
