#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that every source begins with its licence and a sentence that says what the file is for.

import re
from pathlib import Path

from checks import CPP, Finding, files, run

LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMMENT = {".hpp": "//", ".cpp": "//", ".py": "#", ".sh": "#", ".cmake": "#", ".txt": "#", ".sql": "--"}


def sources(root: Path):
    yield from files(root, CPP + (".py", ".sh", ".cmake", "CMakeLists.txt", ".sql"))
    for name in ("CMakeLists.txt", "dev", ".ci/run"):
        if (root / name).exists():
            yield root / name


def check(root: Path) -> list[Finding]:
    """Checks the first lines of every source: licence, then what the file is for."""
    findings = []
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        mark = COMMENT.get(file.suffix, "#")
        lines = file.read_text(errors="replace").splitlines()
        at = 1 if lines and lines[0].startswith("#!") else 0

        if lines[at : at + 1] != [f"{mark} {LICENCE}"]:
            findings.append(Finding(path, at + 1, f"the line must be '{mark} {LICENCE}'"))
            continue
        # The sentence may be wrapped: it is the comment block below the licence.
        block = []
        for line in lines[at + 1 :]:
            if not line.startswith(f"{mark} "):
                break
            block.append(line.removeprefix(mark).strip())
        sentence = " ".join(block)
        if not re.search(r"\w+ \w+", sentence) or not re.search(r"\.( |$)", sentence):
            findings.append(Finding(path, at + 2, "a sentence must say what the file is for"))
    return findings


if __name__ == "__main__":
    run(check)
