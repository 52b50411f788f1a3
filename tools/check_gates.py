#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks that what has one way in is called from there alone: who goes round it goes round the room's lock, or its lane.

import re
from pathlib import Path
from typing import NamedTuple

from checks import CPP, Finding, files, run


class Gate(NamedTuple):
    what: str
    call: re.Pattern
    callers: tuple[str, ...]


GATES = (
    Gate("a room's events are committed", re.compile(r"\bstore\w*(?:\(\))?(?:\.|->)commit\("),
         ("src/room/writer_commit.cpp",)),
    # The second one stands in front of another channel, as that channel.
    Gate("a channel is delivered to", re.compile(r"(?:\.|->)deliver\("),
         ("src/channel/target_runner.cpp", "src/app/delivery_files.cpp")),
)


def check(root: Path) -> list[Finding]:
    """Checks that events are committed, and channels delivered to, in one place alone."""
    findings = []
    for file in files(root, CPP, ("include", "src")):
        path, text = file.relative_to(root).as_posix(), file.read_text(errors="replace")
        for gate in GATES:
            if path in gate.callers:
                continue
            for call in gate.call.finditer(text):
                line = text.count("\n", 0, call.start()) + 1
                findings.append(Finding(path, line, f"{gate.what} by {' '.join(gate.callers)} alone"))
    return findings


if __name__ == "__main__":
    run(check)
