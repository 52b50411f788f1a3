// SPDX-License-Identifier: Apache-2.0
// The coroutine canary: the ways of awaiting that our rules allow, judged on the compiler before it
// is trusted.
#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

/// An object that knows where it lives. A compiler that copies a coroutine's temporary bit by bit
/// destroys something that was never constructed, or forgets to destroy something that was: both
/// show here.
class tracked {
   public:
    explicit tracked(std::string text) : text_(std::move(text)) { live().insert(this); }

    tracked(const tracked& other) : text_(other.text_) { live().insert(this); }

    tracked(tracked&& other) noexcept : text_(std::move(other.text_)) { live().insert(this); }

    tracked& operator=(const tracked&) = delete;

    ~tracked() { faults() += live().erase(this) == 1 ? 0 : 1; }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    static std::set<const tracked*>& live() {
        static std::set<const tracked*> all;
        return all;
    }

    static int& faults() {
        static int count = 0;
        return count;
    }

   private:
    std::string text_;
};

/// An aggregate: no constructor of its own, the kind of temporary that faulty compilers mishandle.
struct config {
    tracked host;
    int port = 0;
};

/// Longer than any small-string buffer, so that a copy of bits is a copy of a pointer.
tracked long_text() {
    return tracked{"a text that is long enough to live on the heap, wherever it is copied to"};
}

// The callees suspend before they use what they were given, so that it has to survive in a frame.

awaitable<void> suspend() {
    const result<> resumed = co_await yield_turn();
    EXPECT_TRUE(resumed.has_value());
}

awaitable<std::size_t> connect(config c) {
    co_await suspend();
    co_return c.host.text().size();
}

template <class Function>
awaitable<std::size_t> call(Function f) {
    co_await suspend();
    co_return f();
}

awaitable<bool> flag(bool value) {
    co_await suspend();
    co_return value;
}

awaitable<std::optional<tracked>> find(bool is_there) {
    co_await suspend();
    std::optional<tracked> found;
    if (is_there) {
        found.emplace(long_text());
    }
    co_return found;
}

awaitable<std::tuple<int, tracked>> op(int turn) {
    co_await suspend();
    co_return std::tuple<int, tracked>(turn, long_text());
}

awaitable<std::size_t> next(tracked value) {
    co_await suspend();
    co_return value.text().size();
}

awaitable<config> make() {
    co_await suspend();
    config made{long_text(), 1};
    co_return made;
}

// One coroutine for each way of awaiting.

awaitable<std::size_t> await_named_aggregate() {
    auto c = config{long_text(), 1};
    const std::size_t size = co_await connect(std::move(c));
    co_return size;
}

awaitable<std::size_t> await_named_lambda() {
    const tracked s = long_text();
    auto f = [s] { return s.text().size(); };
    const std::size_t size = co_await call(std::move(f));
    co_return size;
}

awaitable<std::size_t> await_then_test() {
    const bool ok = co_await flag(true);
    if (ok) {
        co_return long_text().text().size();
    }
    co_return 0;
}

awaitable<std::size_t> await_in_initialiser() {
    if (auto missing = co_await find(false); missing) {
        co_return 0;
    }
    if (auto found = co_await find(true); found) {
        co_return found->text().size();
    }
    co_return 0;
}

awaitable<std::size_t> await_structured_binding_in_loop() {
    std::size_t size = 0;
    for (int turn = 0;; ++turn) {
        auto [number, value] = co_await op(turn);
        if (number == 1) {
            continue;
        }
        if (number == 3) {
            break;
        }
        size = value.text().size();
    }
    co_return size;
}

awaitable<std::size_t> await_in_return() {
    tracked s = long_text();
    co_return co_await next(std::move(s));
}

awaitable<std::size_t> await_member_of_awaited() {
    const auto made = co_await make();
    const std::size_t size = co_await next(made.host);
    co_return size;
}

class Canary : public testing::Test {
   protected:
    /// Runs the coroutine to its end and checks what it left behind.
    void expect_right(awaitable<std::size_t> coroutine) {
        EXPECT_EQ(loop_.run(std::move(coroutine)), long_text().text().size());
        EXPECT_EQ(tracked::faults(), 0) << "something was destroyed that was never constructed";
        EXPECT_TRUE(tracked::live().empty()) << "something was constructed and never destroyed";
    }

    void SetUp() override {
        tracked::faults() = 0;
        tracked::live().clear();
    }

   private:
    manual_loop loop_;
};

TEST_F(Canary, ANamedAggregateIsMovedIntoTheCallee) { expect_right(await_named_aggregate()); }

TEST_F(Canary, ANamedLambdaIsMovedIntoTheCallee) { expect_right(await_named_lambda()); }

TEST_F(Canary, AnAwaitedValueIsNamedAndThenTested) { expect_right(await_then_test()); }

TEST_F(Canary, AnInitialiserNamesTheAwaitedValue) { expect_right(await_in_initialiser()); }

TEST_F(Canary, AStructuredBindingIsDestroyedOnEachTurnOfALoop) {
    expect_right(await_structured_binding_in_loop());
}

TEST_F(Canary, AnAwaitInAReturnPassesTheValueOn) { expect_right(await_in_return()); }

TEST_F(Canary, AMemberOfAnAwaitedValueIsAwaitedWith) { expect_right(await_member_of_awaited()); }

// Coroutines are lazy: one that is dropped before it was awaited leaves nothing behind.
TEST_F(Canary, ACoroutineThatIsNeverAwaitedLeavesNothing) {
    {
        const auto never_awaited = await_named_aggregate();
    }
    EXPECT_EQ(tracked::faults(), 0);
    EXPECT_TRUE(tracked::live().empty());
}

}  // namespace
}  // namespace convene
