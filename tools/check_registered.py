#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that every C++ file is named in a CMakeLists.txt: what no target knows is neither built nor checked.

from pathlib import Path

from checks import CPP, Finding, files, run


def words_of(lists: Path) -> set[str]:
    code = (line.split("#")[0] for line in lists.read_text().splitlines())
    return set(" ".join(code).replace("(", " ").replace(")", " ").replace('"', " ").split())


def check(root: Path) -> list[Finding]:
    """Checks that every C++ file is named in the CMakeLists.txt of its folder or of one above."""
    cache: dict[Path, set[str]] = {}
    findings = []
    for file in files(root, CPP, ("src", "tests", "bench", "examples")):
        for folder in file.relative_to(root).parents:
            lists = root / folder / "CMakeLists.txt"
            if not lists.exists():
                continue
            if lists not in cache:
                cache[lists] = words_of(lists)
            name = file.relative_to(root / folder).as_posix()
            # Examples are listed by stem: one program per file.
            if name in cache[lists] or (folder.name == "examples" and file.stem in cache[lists]):
                break
        else:
            findings.append(Finding(file.relative_to(root).as_posix(), 1, "no CMakeLists.txt names it"))
    return findings


if __name__ == "__main__":
    run(check)
