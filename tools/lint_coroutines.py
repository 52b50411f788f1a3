#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks the rules for coroutines that no compiler checks. It reads tokens, not types.
"""The rules, by the name a `NOLINT(<name>): reason` would use:

await-rule             A statement that awaits contains no `{` and no `?`, and what it awaits has a name before
                       it is tested: `const bool ok = co_await flag(); if (ok) …`, or an if with initialiser.
coroutine-parameters   What returns an `awaitable<…>` takes values and pointers: no reference, no view.
capturing-coroutine    A lambda that is a coroutine captures nothing: its captures die before it does.
detached               Nothing is detached: `asio::detached` does not occur.
"""

import re
from pathlib import Path
from typing import NamedTuple

from checks import CPP, Finding, files, run

TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ )
  | (?P<directive> ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<raw> (?:u8|[uUL])?R"(?P<tag>[^()\\\s]*)\(.*?\)(?P=tag)" )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<number> \d(?:[\w.]|'\w)* )
  | (?P<string> "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<sign> :: | -> | && | \|\| | \S )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
NOLINT = re.compile(r"NOLINT\(([\w-]+)\): *\S")

CONTROL = {"if", "while", "for", "switch"}
# A brace after one of these opens a block; after anything else it may begin a list of values.
BEFORE_BLOCK = {")", "{", "}", ";", ":", "else", "do", "try", "const", "noexcept", "override", "final", "&", "&&"}
DECLARES_BLOCK = {"class", "struct", "union", "enum", "namespace", "extern", "concept"}
BEFORE_LAMBDA = set("(,={;}!?:+-*/<>&|") | {"&&", "||", "return", "co_return", "co_await", "co_yield"}
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Token(NamedTuple):
    text: str
    line: int


def tokens_of(text: str) -> tuple[list[Token], dict[int, set[str]]]:
    """The tokens without comments and directives, and the rules that a comment switches off, by line."""
    tokens, exempt = [], {}
    line, end = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        if match["comment"]:
            for rule in NOLINT.findall(match["comment"]):
                # It covers its own line and the next.
                exempt.setdefault(line, set()).add(rule)
                exempt.setdefault(line + 1, set()).add(rule)
        elif not match["directive"]:
            is_literal = match["string"] or match["raw"]
            tokens.append(Token('""' if is_literal else match[0], line))
    return tokens, exempt


def closing(tokens: list[Token], opening: int) -> int:
    """The position of the bracket that closes the one at `opening`; the end of the file if none does."""
    left, right = tokens[opening].text, CLOSING[tokens[opening].text]
    depth = 0
    for i in range(opening, len(tokens)):
        if tokens[i].text == left:
            depth += 1
        elif tokens[i].text == right:
            depth -= 1
            if depth == 0:
                return i
        elif left == "<" and tokens[i].text in ("{", "}", ";"):
            # It was "less than".
            break
    return len(tokens) - 1


class Statement:
    """What has been read of the current statement."""

    def __init__(self):
        self.awaits_at: int | None = None
        self.brace = False
        self.question = False
        self.words: set[str] = set()


class Frame:
    """An open bracket: `block`, `lambda`, `values` (a braced list), `control` (an if's head) or `nested`."""

    def __init__(self, kind: str, outer: Statement | None = None, captures: bool = False, keyword: str = ""):
        self.kind = kind
        self.outer = outer
        self.captures = captures
        self.keyword = keyword
        self.segments = 0  # of a control head: how many `;` were read


class Linter:
    def __init__(self, path: str, text: str):
        self.path = path
        self.tokens, self.exempt = tokens_of(text)
        self.findings: list[Finding] = []

    def report(self, line: int, rule: str, message: str) -> None:
        if rule not in self.exempt.get(line, set()):
            self.findings.append(Finding(self.path, line, f"{message} [{rule}]"))

    # -- parameters ------------------------------------------------------------------------------

    def check_parameters(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.text != "awaitable" or i + 1 == len(self.tokens) or self.tokens[i + 1].text != "<":
                continue
            after = closing(self.tokens, i + 1) + 1
            name = after
            while name < len(self.tokens) and re.fullmatch(r"::|[A-Za-z_]\w*", self.tokens[name].text):
                name += 1
            if name < len(self.tokens) and self.tokens[name].text == "(":
                self.check_parameter_list(name)
            elif opening := self.parameters_before(i):
                self.check_parameter_list(opening)

    def parameters_before(self, i: int) -> int | None:
        """For a trailing `-> awaitable<…>`: where the parameter list opens."""
        while i > 0 and self.tokens[i - 1].text in ("convene", "::"):
            i -= 1
        i -= 1
        if i < 0 or self.tokens[i].text != "->":
            return None
        while i > 0 and self.tokens[i].text != ")":
            if self.tokens[i].text in ("{", "}", ";"):
                return None
            i -= 1
        depth = 0
        for j in range(i, -1, -1):
            depth += {")": 1, "(": -1}.get(self.tokens[j].text, 0)
            if depth == 0:
                return j
        return None

    def check_parameter_list(self, opening: int) -> None:
        depth = 0
        for i in range(opening + 1, closing(self.tokens, opening)):
            token = self.tokens[i]
            is_view = token.text == "string_view" or (token.text == "span" and self.tokens[i + 1].text == "<")
            depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(token.text, 0)
            if token.text in ("&", "&&") and depth == 0:
                self.report(token.line, "coroutine-parameters", "a coroutine takes no reference: it may outlive it")
            elif is_view:
                self.report(token.line, "coroutine-parameters", f"a coroutine takes no {token.text}: it may outlive it")

    # -- statements ------------------------------------------------------------------------------

    def finish(self, statement: Statement) -> None:
        if statement.awaits_at is None:
            return
        if statement.brace:
            self.report(statement.awaits_at, "await-rule", "a statement that awaits has no '{': name the value first")
        if statement.question:
            self.report(statement.awaits_at, "await-rule", "a statement that awaits has no '?': name the value first")

    def finish_head(self, frame: Frame, statement: Statement, is_last: bool) -> None:
        """Ends a part of `if (…; …)`. Only a part that ends in `;`, and runs once, may await."""
        self.finish(statement)
        if statement.awaits_at is not None and (is_last or frame.segments > 0):
            self.report(statement.awaits_at, "await-rule", "an awaited value has a name before it is tested")
        frame.segments += 1

    def check_statements(self) -> None:
        stack: list[Frame] = []
        current = Statement()
        # A lambda's introducer was read and its body not yet: (depth of the stack, does it capture).
        lambda_ahead: tuple[int, bool] | None = None
        skip_to = -1

        for i, token in enumerate(self.tokens):
            if i <= skip_to:
                continue
            text = token.text
            previous = self.tokens[i - 1].text if i else ";"

            if text == "[":
                if i + 1 < len(self.tokens) and self.tokens[i + 1].text == "[":
                    skip_to = closing(self.tokens, i)  # an attribute
                elif previous in BEFORE_LAMBDA and not self.is_structured_binding(i):
                    skip_to = closing(self.tokens, i)
                    lambda_ahead = (len(stack), skip_to > i + 1)
                else:
                    stack.append(Frame("nested"))
            elif text == "(":
                keyword = self.tokens[i - 2].text if previous == "constexpr" and i > 1 else previous
                if keyword in CONTROL:
                    stack.append(Frame("control", outer=current, keyword=keyword))
                    current = Statement()
                else:
                    stack.append(Frame("nested"))
            elif text in (")", "]"):
                if stack and stack[-1].kind == "control":
                    frame = stack.pop()
                    self.finish_head(frame, current, is_last=True)
                    # What follows is the body, a statement of its own.
                    current = Statement()
                elif stack and stack[-1].kind == "nested":
                    stack.pop()
            elif text == "{":
                if lambda_ahead is not None and lambda_ahead[0] == len(stack):
                    current.brace = True
                    stack.append(Frame("lambda", outer=current, captures=lambda_ahead[1]))
                    current = Statement()
                    lambda_ahead = None
                elif self.opens_block(stack, current, previous):
                    stack.append(Frame("block"))
                    current = Statement()
                else:
                    current.brace = True
                    stack.append(Frame("values"))
            elif text == "}":
                frame = stack.pop() if stack else Frame("block")
                if frame.kind == "lambda":
                    current = frame.outer
                elif frame.kind == "block":
                    current = Statement()
            elif text == ";":
                lambda_ahead = None
                if stack and stack[-1].kind == "control":
                    self.finish_head(stack[-1], current, is_last=False)
                else:
                    self.finish(current)
                current = Statement()
            elif text == "?":
                current.question = True
            else:
                current.words.add(text)
                if text in ("co_await", "co_return", "co_yield"):
                    self.on_coroutine_keyword(token, stack, current)
                elif text == "detached" and previous == "::" and i > 1 and self.tokens[i - 2].text == "asio":
                    self.report(token.line, "detached", "nothing is detached: spawn it in a task_scope")

    def on_coroutine_keyword(self, token: Token, stack: list[Frame], current: Statement) -> None:
        if token.text == "co_await" and current.awaits_at is None:
            current.awaits_at = token.line
        for frame in reversed(stack):
            if frame.kind == "lambda":
                if frame.captures:
                    self.report(token.line, "capturing-coroutine", "a lambda that is a coroutine captures nothing")
                    frame.captures = False  # once is enough
                break

    def is_structured_binding(self, i: int) -> bool:
        j = i - 1
        while j >= 0 and self.tokens[j].text in ("&", "&&"):
            j -= 1
        return j >= 0 and self.tokens[j].text == "auto"

    @staticmethod
    def opens_block(stack: list[Frame], current: Statement, previous: str) -> bool:
        """Whether a brace that belongs to no lambda begins a block rather than a list of values."""
        if stack and stack[-1].kind in ("nested", "control", "values"):
            return False
        return previous in BEFORE_BLOCK or "->" in current.words or bool(DECLARES_BLOCK & current.words)


def lint(path: str, text: str) -> list[Finding]:
    linter = Linter(path, text)
    linter.check_parameters()
    linter.check_statements()
    return sorted(linter.findings, key=lambda finding: finding.line)


def check(root: Path) -> list[Finding]:
    """Checks the rules for coroutines that no compiler checks."""
    return [
        finding
        for file in files(root, CPP)
        for finding in lint(file.relative_to(root).as_posix(), file.read_text(errors="replace"))
    ]


if __name__ == "__main__":
    run(check)
