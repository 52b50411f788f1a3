# SPDX-License-Identifier: Apache-2.0
# What was seen: a table for each section with its goals beneath it, or one JSON object a row.

import json


class Report:
    def __init__(self, as_json: bool):
        self.as_json, self.columns, self.section = as_json, [], ""
        self.missed, self.beneath = [], []

    def begin(self, section: str, title: str, columns: list[str]):
        self.end()
        self.section, self.columns = section, columns
        if not self.as_json:
            print(f"\n## {title}\n\n| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns), flush=True)

    def row(self, row: dict) -> dict:
        if self.as_json:
            print(json.dumps({"section": self.section} | row), flush=True)
        else:
            cells = [row.get(column, "") for column in self.columns]
            print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |",
                  flush=True)
        return row

    def goal(self, what: str, wanted: str, seen: str, is_met: bool):
        if not is_met:
            self.missed.append(what)
        if self.as_json:
            print(json.dumps({"section": self.section, "goal": what, "wanted": wanted, "seen": seen,
                              "is_met": is_met}), flush=True)
        else:
            self.beneath.append(f"- {what}: {seen} (goal {wanted}: {'met' if is_met else 'MISSED'})")

    def note(self, text: str):
        """A line beneath the table; no part of the rows."""
        self.beneath.append(f"- {text}")

    def end(self):
        if self.beneath and not self.as_json:
            print("", *self.beneath, sep="\n", flush=True)
        self.beneath = []


def percentile(values: list[float], percent: int) -> float:
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) * percent // 100]
