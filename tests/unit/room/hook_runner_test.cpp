// SPDX-License-Identifier: Apache-2.0
// The hook runner with coroutine hooks: order, deadlines, exceptions, cancellation.
// Plain hooks need threads: tests/concurrency/hook_pool_test.cpp.
#include "room/hook_runner.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/manual_loop.hpp"
#include "scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// What the hooks of a test saw.
using log_lines = std::vector<std::string>;

hook_registry::shared_hook make_hook(
    std::string id, coroutine_hook run, hook_failure_policy policy = hook_failure_policy::fail_open
) {
    auto hook = std::make_shared<hook_definition>();
    hook->id = hook_id{std::move(id)};
    hook->on_failure = policy;
    hook->run = std::move(run);
    return hook;
}

awaitable<hook_verdict> answer_at_once(hook_verdict verdict) { co_return verdict; }

awaitable<hook_verdict> answer_after(std::chrono::milliseconds span, hook_verdict verdict) {
    const result<> slept = co_await sleep_for(span);
    static_cast<void>(slept);  // a hook that does not look why it woke up
    co_return verdict;
}

awaitable<hook_verdict> answer_in_spite_of_all(std::chrono::milliseconds span) {
    const result<> slept = co_await shielded(sleep_for(span));
    EXPECT_TRUE(slept);
    co_return hook_verdict::block("too_late");
}

awaitable<hook_verdict> throw_something() {
    const result<> yielded = co_await yield_turn();
    EXPECT_TRUE(yielded);
    throw std::runtime_error("not for the public");
}

awaitable<hook_verdict> throw_a_number() {
    const result<> yielded = co_await yield_turn();
    EXPECT_TRUE(yielded);
    throw 42;
}

coroutine_hook answers(hook_verdict verdict) {
    return [verdict](hook_input) { return answer_at_once(verdict); };
}

/// Counts from what the store would remember.
class fake_counter final : public hook_run_counter {
   public:
    awaitable<result<std::int32_t>> count_run(hook_id hook) override {
        asked.push_back(hook.str());
        co_return answer;
    }

    result<std::int32_t> answer{1};
    log_lines asked;
};

class hook_runner_test : public testing::Test {
   protected:
    [[nodiscard]] hook_input input() const { return {scene{}.context, said_by_bob("event")}; }

    result<hook_chain_outcome> run(
        std::vector<hook_registry::shared_hook> hooks, hook_run_counter* after_crash = nullptr
    ) {
        return loop.run(runner.run_before(input(), std::move(hooks), after_crash));
    }

    /// The hook whose verdict is the last to be seen.
    [[nodiscard]] hook_registry::shared_hook note_call(std::string id) {
        return make_hook(id, [this, id](const hook_input& seen) {
            called.push_back(id + " saw " + seen.event.content.body().value_or(""));
            return answer_at_once(hook_verdict::allow());
        });
    }

    manual_loop loop;
    blocking_pool pool{1};
    hook_runner runner{&pool};
    log_lines called;
};

using HookRunner = hook_runner_test;

/// `type failure policy` of each notice.
log_lines describe(const std::vector<framework_event>& notices) {
    log_lines lines;
    for (const framework_event& notice : notices) {
        lines.push_back(notice.type + " " + notice.data.str());
    }
    return lines;
}

// -- chains
// ----------------------------------------------------------------------------------------------

// Without hooks nothing changes.
// Proves: R9
TEST_F(HookRunner, DoesNothingWithoutHooks) {
    const auto outcome = run({});
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->new_content);
    EXPECT_FALSE(outcome->blocked);
}

// Hooks run one after the other, each on what the one before left.
// Proves: R9
TEST_F(HookRunner, FeedsEveryHookWithWhatTheOneBeforeLeft) {
    const auto outcome = run({
        note_call("first"),
        make_hook("modifier", answers(hook_verdict::modify(content::text("clean")))),
        note_call("second"),
    });
    ASSERT_TRUE(outcome);
    EXPECT_EQ(called, (log_lines{"first saw hello", "second saw clean"}));
    EXPECT_EQ(outcome->new_content, content::text("clean"));
    EXPECT_TRUE(outcome->notices.empty());
}

// A block stops the chain and keeps what was modified before it.
// Proves: R9
TEST_F(HookRunner, StopsAtABlock) {
    const auto outcome = run({
        make_hook("modifier", answers(hook_verdict::modify(content::text("clean")))),
        make_hook("filter", answers(hook_verdict::block("spam"))),
        note_call("never"),
    });
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(called.empty());
    ASSERT_TRUE(outcome->blocked);
    EXPECT_EQ(outcome->blocked->by, "filter");
    EXPECT_EQ(outcome->new_content, content::text("clean"));
}

// -- failures
// --------------------------------------------------------------------------------------------

// A hook without a verdict in time is cancelled at its deadline; the chain goes on at once, open or
// closed as declared, and a notice says so.
// Proves: R9, R19
TEST_F(HookRunner, AppliesThePolicyAtTheDeadline) {
    const auto slow = [](hook_input) { return answer_after(1h, hook_verdict::block("late")); };
    const monotonic_time start = loop.now();
    const auto open = run({make_hook("slow", slow), note_call("next")});
    EXPECT_EQ(loop.now(), start + 50ms);
    ASSERT_TRUE(open);
    EXPECT_FALSE(open->blocked);
    EXPECT_EQ(called, (log_lines{"next saw hello"}));
    EXPECT_EQ(
        describe(open->notices),
        (log_lines{R"(hook_failed {"hook":"slow","failure":"timed_out","policy":"fail_open"})"})
    );

    const auto closed = run({make_hook("slow", slow, hook_failure_policy::fail_closed)});
    ASSERT_TRUE(closed);
    ASSERT_TRUE(closed->blocked);
    EXPECT_EQ(closed->blocked->reason, "hook_failed");
    EXPECT_EQ(
        describe(closed->notices),
        (log_lines{R"(hook_failed {"hook":"slow","failure":"timed_out","policy":"fail_closed"})"})
    );
}

// A verdict that comes late is dropped, also from a hook that finished its work against its
// deadline.
// Proves: R9
TEST_F(HookRunner, DropsALateVerdict) {
    const auto outcome = run({
        make_hook("stubborn", [](hook_input) { return answer_in_spite_of_all(80ms); }),
    });
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->blocked);
    EXPECT_EQ(outcome->notices.size(), 1U);
}

// A verdict just before the deadline counts.
// Proves: R9
TEST_F(HookRunner, TakesAVerdictJustInTime) {
    const auto outcome = run({
        make_hook(
            "slow", [](hook_input) { return answer_after(49ms, hook_verdict::block("spam")); }
        ),
    });
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->blocked);
    EXPECT_TRUE(outcome->notices.empty());
}

// Exceptions of hooks stop here: they count as a failure, and their text reaches nobody but the
// log.
// Proves: R9, R19
TEST_F(HookRunner, TurnsExceptionsIntoFailures) {
    const auto throws_before_it_waits = [](hook_input) -> awaitable<hook_verdict> {
        throw std::runtime_error("not for the public");
    };
    const std::vector<coroutine_hook> throwing{
        [](hook_input) { return throw_something(); },
        [](hook_input) { return throw_a_number(); },
        throws_before_it_waits,
    };
    for (const coroutine_hook& hook : throwing) {
        const auto outcome = run({make_hook("thrower", hook), note_call("next")});
        ASSERT_TRUE(outcome);
        EXPECT_EQ(
            describe(outcome->notices),
            (log_lines{R"(hook_failed {"hook":"thrower","failure":"threw","policy":"fail_open"})"})
        );
    }
    EXPECT_EQ(called.size(), throwing.size());

    const auto closed = run({make_hook("thrower", throwing[0], hook_failure_policy::fail_closed)});
    ASSERT_TRUE(closed);
    EXPECT_TRUE(closed->blocked);
}

// An impossible verdict is a failure as a whole: nothing of it is used.
// Proves: R9, R16
TEST_F(HookRunner, UsesNothingOfAnImpossibleVerdict) {
    hook_verdict nonsense;
    nonsense.what = hook_verdict::action::modify;
    nonsense.injected.emplace_back();
    nonsense.tasks.emplace_back();
    const auto open = run({make_hook("hook", answers(nonsense))});
    ASSERT_TRUE(open);
    EXPECT_TRUE(open->injected.empty());
    EXPECT_TRUE(open->tasks.empty());
    EXPECT_EQ(
        describe(open->notices),
        (log_lines{R"(hook_failed {"hook":"hook","failure":"bad_verdict","policy":"fail_open"})"})
    );
    const auto closed = run({make_hook("hook", answers(nonsense), hook_failure_policy::fail_closed)}
    );
    ASSERT_TRUE(closed);
    EXPECT_TRUE(closed->blocked);
}

// -- cancellation
// ----------------------------------------------------------------------------------------

// A caller who runs out of time gets no decision: neither policy may turn that into a verdict.
// Proves: R7, R9
TEST_F(HookRunner, DecidesNothingForACallerWhoLeaves) {
    for (const auto policy : {hook_failure_policy::fail_open, hook_failure_policy::fail_closed}) {
        std::vector<hook_registry::shared_hook> hooks{
            make_hook(
                "slow", [](hook_input) { return answer_after(40ms, hook_verdict::allow()); }, policy
            ),
            note_call("never"),
        };
        const deadline until{loop.now() + 10ms};
        auto running = runner.run_before(input(), std::move(hooks));
        const auto outcome = loop.run(with_deadline(until, std::move(running)));
        EXPECT_EQ(outcome.error(), errc::timed_out);
    }
    EXPECT_TRUE(called.empty());
}

// -- crashes
// ---------------------------------------------------------------------------------------------

// After a crash every hook is counted before it is asked; below the limit it is asked as ever.
// Proves: R9
TEST_F(HookRunner, CountsHooksAfterACrash) {
    fake_counter counter;
    counter.answer = 2;
    const auto outcome = run({note_call("first"), note_call("second")}, &counter);
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->blocked);
    EXPECT_EQ(counter.asked, (log_lines{"first", "second"}));
    EXPECT_EQ(called.size(), 2U);
}

// The hook in which the third worker died is not asked again: the event is blocked, not the room.
// Proves: R9
TEST_F(HookRunner, BlocksAfterTheThirdCrash) {
    fake_counter counter;
    counter.answer = 3;
    const auto outcome = run({note_call("killer"), note_call("next")}, &counter);
    ASSERT_TRUE(outcome);
    ASSERT_TRUE(outcome->blocked);
    EXPECT_EQ(outcome->blocked->by, "killer");
    EXPECT_EQ(outcome->blocked->reason, "hook_crashed");
    EXPECT_TRUE(called.empty());
    EXPECT_EQ(counter.asked, (log_lines{"killer"}));
}

// A count that can't be stored decides nothing: the hook might be the one.
// Proves: R9
TEST_F(HookRunner, AsksNobodyWithoutACount) {
    fake_counter counter;
    counter.answer = errc::connection_lost;
    const auto outcome = run({note_call("hook")}, &counter);
    EXPECT_EQ(outcome.error(), errc::connection_lost);
    EXPECT_TRUE(called.empty());
}

// -- after-hooks
// -----------------------------------------------------------------------------------------

// An after-hook's verdict is not looked at; only that it ran.
// Proves: R9
TEST_F(HookRunner, RunsAnAfterHookForItsEffect) {
    hook_verdict nonsense;
    nonsense.what = hook_verdict::action::modify;
    const auto ran = loop.run(runner.run_after(make_hook("hook", answers(nonsense)), input()));
    ASSERT_TRUE(ran);
    EXPECT_EQ(*ran, "");
}

// What went wrong with an after-hook is a word for its row.
// Proves: R9
TEST_F(HookRunner, NamesTheFailureOfAnAfterHook) {
    const auto slow = [](hook_input) { return answer_after(1h, hook_verdict::allow()); };
    const auto throwing = [](hook_input) { return throw_something(); };
    EXPECT_EQ(*loop.run(runner.run_after(make_hook("hook", slow), input())), "timed_out");
    EXPECT_EQ(*loop.run(runner.run_after(make_hook("hook", throwing), input())), "threw");
    EXPECT_EQ(*loop.run(runner.run_after(nullptr, input())), "not_registered");
}

// An after-hook that is stopped from outside did not run to its end: its row stays for later.
// Proves: R9, D11
TEST_F(HookRunner, LeavesAStoppedAfterHookUndone) {
    const auto slow = [](hook_input) { return answer_after(40ms, hook_verdict::allow()); };
    const deadline until{loop.now() + 10ms};
    auto running = runner.run_after(make_hook("hook", slow), input());
    const auto ran = loop.run(with_deadline(until, std::move(running)));
    EXPECT_EQ(ran.error(), errc::timed_out);
}

}  // namespace
}  // namespace convene
