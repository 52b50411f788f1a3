#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks every #include against tools/layers.txt: no include points up, no client library leaks out.

import re
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from checks import CPP, Finding, files, run

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
PUBLIC_HEADER = re.compile(r"\bconvene/[\w/]+\.hpp\b")


class Rules:
    """The content of layers.txt, and which public header belongs to which layer."""

    def __init__(self, root: Path):
        self.sees: dict[str, set[str]] = {}
        self.only: dict[str, list[str]] = {}
        self.unseen: list[str] = []
        for number, line in enumerate((root / "tools/layers.txt").read_text().splitlines(), 1):
            words = line.split("#")[0].replace(":", " ").split()
            if not words:
                continue
            kind, name, *rest = words
            if kind == "layer":
                self.sees[name] = {name, *rest}
            elif kind == "only":
                self.only[name] = rest
            elif kind == "unseen":
                self.unseen.append(name)
            else:
                raise SystemExit(f"tools/layers.txt:{number}: unknown rule '{kind}'")
        for layer, seen in self.sees.items():
            if unknown := seen - self.sees.keys():
                raise SystemExit(f"tools/layers.txt: '{layer}' sees unknown {sorted(unknown)}")

        self.public: dict[str, str] = {}
        for lists in sorted((root / "src").glob("*/CMakeLists.txt")):
            for header in PUBLIC_HEADER.findall(lists.read_text()):
                self.public[header] = lists.parent.name

    def layer_of(self, path: str) -> str | None:
        """The layer of a path below src/: the longest folder that has a line."""
        for folder in PurePosixPath(path).parents:
            if str(folder) in self.sees:
                return str(folder)
        return None

    def seen_from(self, path: str) -> set[str] | None:
        """The layers a file may include; None when it is not bound by layers (or its layer is unknown)."""
        parts = PurePosixPath(path).parts
        if parts[0] == "include":
            layer = self.public.get("/".join(parts[1:]))
            return self.sees[layer] if layer else None
        if parts[0] == "src":
            layer = self.layer_of("/".join(parts[1:]))
            return self.sees[layer] if layer else None
        if parts[:2] == ("tests", "unit") and len(parts) > 3:
            subject = parts[2]
            below = [l for l in self.sees if l == subject or l.startswith(subject + "/")]
            return set().union(*(self.sees[l] for l in below))
        return None


def matches(path: str, patterns: list[str]) -> bool:
    # `**/` also stands for no folder at all, as in a shell.
    return any(fnmatch(path, p) or fnmatch(path, p.replace("**/", "")) for p in patterns)


def check(root: Path) -> list[Finding]:
    """Checks every #include against tools/layers.txt."""
    rules = Rules(root)
    findings = []
    for file in files(root, CPP):
        path = file.relative_to(root).as_posix()
        text = file.read_text(errors="replace")
        is_public = path.startswith("include/")

        if is_public and path.removeprefix("include/") not in rules.public:
            findings.append(Finding(path, 1, "no src/<layer>/CMakeLists.txt lists it in PUBLIC_HEADERS"))
        if path.startswith("src/") and rules.layer_of(path.removeprefix("src/")) is None:
            findings.append(Finding(path, 1, "its folder has no line in tools/layers.txt"))

        seen = rules.seen_from(path)
        for include in INCLUDE.finditer(text):
            name = include[2]
            line = text.count("\n", 0, include.start(2)) + 1

            def report(message: str) -> None:
                findings.append(Finding(path, line, f"{name}: {message}"))

            if name.startswith("convene/"):
                layer = rules.public.get(name)
            elif (root / "src" / name).exists():
                layer = rules.layer_of(name)
                if is_public:
                    report("a public header includes an internal one")
                if path.startswith("examples/"):
                    report("an example sees only include/convene")
            else:
                layer = None
                for prefix, allowed in rules.only.items():
                    if name.startswith(prefix) and not matches(path, allowed):
                        report(f"only {' '.join(allowed) or 'nobody'} may include it")
                if is_public and name.startswith(tuple(rules.unseen)):
                    report("no public header may include it")
            if layer is not None and seen is not None and layer not in seen:
                report(f"layer '{layer}' may not be seen from here")
    return findings


if __name__ == "__main__":
    run(check)
