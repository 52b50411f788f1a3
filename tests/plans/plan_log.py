# SPDX-License-Identifier: Apache-2.0
# The plans of the statements that workers sent, as the server ran them and wrote them into its log.

import json
import re
from dataclasses import dataclass
from pathlib import Path

# For the role that the workers log in as. Times are of the whole statement: a clock for each node costs more than it does.
SETTINGS = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
}

START = re.compile(r"duration: ([\d.]+) ms  plan:$")


@dataclass
class Read:
    """A place in a plan where rows of a table are looked for. `index` is empty where all of them are read."""

    table: str
    index: str
    is_bounded: bool  # a condition of the index says where to begin or to end
    rows: int  # that were looked at, those that a filter dropped as well


class Statement:
    def __init__(self, milliseconds: float, logged: dict):
        self.milliseconds, self.text, self.plan = milliseconds, logged["Query Text"], logged["Plan"]
        self.nodes = list(nodes_below(self.plan))

    @property
    def pages(self) -> int:
        """That were touched, wherever they were. A CTE that writes is counted where it runs, beside the plan's root."""
        roots = [self.plan] + [one for one in self.nodes if one.get("Subplan Name", "").startswith("CTE ")]
        return sum(one.get("Shared Hit Blocks", 0) + one.get("Shared Read Blocks", 0) for one in roots)

    def reads(self) -> list[Read]:
        return [read for node in self.nodes for read in reads_of(node)]

    def __str__(self):
        return json.dumps(self.plan, indent=1)


def nodes_below(node: dict):
    yield node
    for child in node.get("Plans", []):
        yield from nodes_below(child)


def looked_at(node: dict) -> int:
    dropped = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return (node["Actual Rows"] + dropped) * max(node["Actual Loops"], 1)


def reads_of(node: dict):
    kind = node["Node Type"]
    if kind in ("Index Scan", "Index Only Scan"):
        yield Read(node["Relation Name"], node["Index Name"], "Index Cond" in node, looked_at(node))
    elif kind == "Bitmap Heap Scan":
        for below in nodes_below(node):
            if below["Node Type"] == "Bitmap Index Scan":
                yield Read(node["Relation Name"], below["Index Name"], "Index Cond" in below, looked_at(node))
    elif "Relation Name" in node and kind != "ModifyTable":
        yield Read(node["Relation Name"], "", False, looked_at(node))


class PlanLog:
    """Reads the log from where it was read to before."""

    def __init__(self, file: Path):
        self.file, self.position = file, 0

    def skip(self):
        self.position = self.file.stat().st_size

    def take(self) -> list[Statement]:
        """*Requires*: the sessions have ended, or are idle: nothing is written half."""
        with open(self.file, encoding="utf-8", errors="replace") as log:
            log.seek(self.position)
            lines = log.readlines()
            self.position = log.tell()
        found, at = [], 0
        while at < len(lines):
            start = START.search(lines[at])
            at += 1
            if start is None:
                continue
            below = at
            while at < len(lines) and lines[at].startswith("\t"):
                at += 1
            found.append(Statement(float(start[1]), json.loads("".join(lines[below:at]))))
        return found
