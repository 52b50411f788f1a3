# SPDX-License-Identifier: Apache-2.0
# What the coroutine lint accepts and refuses, one snippet per rule and per construct it must not confuse.

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from lint_coroutines import lint


def rules_in(code: str) -> list[str]:
    return [finding.message.rsplit("[")[-1].rstrip("]") for finding in lint("x.cpp", code)]


class AwaitRule(unittest.TestCase):
    def accepts(self, body: str) -> None:
        self.assertEqual(rules_in("awaitable<int> f() { " + body + " }"), [], body)

    def refuses(self, body: str) -> None:
        self.assertEqual(rules_in("awaitable<int> f() { " + body + " }"), ["await-rule"], body)

    def test_plain_statements_are_accepted(self):
        self.accepts("auto c = config{1}; co_await connect(std::move(c));")
        self.accepts("auto f = [s] { use(s); }; co_await call(std::move(f));")
        self.accepts("const bool ok = co_await flag(); if (ok) { return; }")
        self.accepts("co_return co_await next(std::move(s));")
        self.accepts("for (;;) { auto [ec, n] = co_await op(); if (ec) { break; } }")
        self.accepts("const auto& [a, b] = *p; co_await op(a, b);")
        self.accepts("for (auto& x : xs) co_await use(x);")
        self.accepts("if (ready) co_await go(); else { stop(); }")
        self.accepts("switch (x) { case a: { co_await go(); } default: co_await stop(); }")
        self.accepts("int y = b ? 1 : 2; co_await use(y); int z[] = {1};")
        self.accepts("try { co_await go(); } catch (const error& e) { fail(); }")

    def test_an_initialiser_gives_the_value_a_name(self):
        self.accepts("if (auto x = co_await find(); x) { use(x); }")
        self.accepts("switch (auto x = co_await find(); x) { default: break; }")

    def test_a_braced_argument_is_refused(self):
        self.refuses("co_await connect({.port = 1});")
        self.refuses("co_await connect(config{s, {}});")
        self.refuses("auto a = pair{co_await x(), 1};")
        self.refuses("std::vector<int> v{co_await a(), co_await b()};")
        self.refuses("co_return thing{co_await x()};")

    def test_a_lambda_in_an_awaiting_statement_is_refused(self):
        self.refuses("co_await call([s] { use(s); });")
        self.refuses("co_await call([]() mutable noexcept -> int { return 1; });")

    def test_a_choice_in_an_awaiting_statement_is_refused(self):
        self.refuses("co_await (b ? one() : two());")

    def test_a_test_of_an_unnamed_value_is_refused(self):
        self.refuses("if (co_await flag()) { go(); }")
        self.refuses("if (auto x = 1; co_await flag(x)) { go(); }")
        self.refuses("while (co_await next()) { go(); }")
        self.refuses("for (auto& x : co_await list()) { use(x); }")
        self.refuses("for (int i = 0; co_await more(i); ++i) { use(i); }")

    def test_text_is_not_code(self):
        self.accepts('co_await say("{ ? }"); // co_await f({})')
        self.accepts('co_await say(R"({ ? co_await })"); /* { ? */')
        self.accepts("co_await say('{', 1'000);")

    def test_each_lambda_body_has_statements_of_its_own(self):
        self.accepts("scope.spawn(\"x\", [](state* s) -> awaitable<void> { co_await s->run(); }(&st));")

    def test_an_exemption_needs_its_reason(self):
        self.accepts("co_await g({1});  // NOLINT(await-rule): shows what the rule avoids")
        self.refuses("co_await g({1});  // NOLINT(await-rule)")


class Parameters(unittest.TestCase):
    def accepts(self, code: str) -> None:
        self.assertEqual(rules_in(code), [], code)

    def refuses(self, code: str) -> None:
        self.assertEqual(rules_in(code), ["coroutine-parameters"], code)

    def test_values_and_pointers_are_accepted(self):
        self.accepts("awaitable<void> f(std::string s, store* where, std::vector<int> v);")
        self.accepts("awaitable<result<int>> c::f(std::function<void(int&)> on_change) { }")
        self.accepts("template <class T> awaitable<T> with_deadline(deadline d, awaitable<T> work);")
        self.accepts("awaitable<void> sleep_for(std::chrono::seconds span);")
        self.accepts("void plain(const std::string& s, std::string_view v);")
        self.accepts("awaitable& operator=(awaitable&& other) noexcept;")

    def test_references_are_refused(self):
        self.refuses("awaitable<void> f(const std::string& s);")
        self.refuses("virtual awaitable<result<std::vector<int>>> f(int a, event&& e) = 0;")
        self.refuses("auto f = [](const state& s) -> convene::awaitable<void> { co_return; };")
        self.refuses("using hook = std::function<awaitable<void>(const event&)>;")

    def test_views_are_refused(self):
        self.refuses("awaitable<void> f(std::string_view s);")
        self.refuses("awaitable<void> f(std::span<const int> s);")
        self.refuses("awaitable<void> f(std::optional<std::string_view> s);")


class Lambdas(unittest.TestCase):
    def test_a_capturing_coroutine_is_refused(self):
        code = "void f() { spawn([self]() -> awaitable<void> { co_await self->run(); }()); }"
        self.assertEqual(rules_in(code), ["capturing-coroutine"])

    def test_a_captureless_coroutine_and_a_capturing_function_are_accepted(self):
        self.assertEqual(rules_in("void f() { spawn([](a* s) -> awaitable<void> { co_await s->run(); }(x)); }"), [])
        self.assertEqual(rules_in("void f() { spawn([self] { return self->run(); }); }"), [])

    def test_a_function_inside_a_coroutine_is_not_one(self):
        code = "awaitable<void> f() { auto less = [x](int a) { return a < x; }; co_await g(less); }"
        self.assertEqual(rules_in(code), [])


class Detached(unittest.TestCase):
    def test_it_is_refused(self):
        self.assertEqual(rules_in("void f() { co_spawn(e, g(), boost::asio::detached); }"), ["detached"])


if __name__ == "__main__":
    unittest.main()
