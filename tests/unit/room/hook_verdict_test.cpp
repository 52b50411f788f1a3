// SPDX-License-Identifier: Apache-2.0
// Verdicts: which are impossible, and what the others do.
#include "room/hook_verdict.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "scene.hpp"

namespace convene {
namespace {

hook_id named(std::string id) { return hook_id{std::move(id)}; }

/// The field at fault; empty for a possible verdict.
std::string fault_of(const hook_verdict& verdict, const room_event& seen = said_by_bob("event")) {
    return std::string{find_impossible(seen, verdict).value_or("")};
}

const std::string not_utf8 = "\xff";
const std::string too_long(300 * 1024, 'x');

// -- impossible verdicts
// ---------------------------------------------------------------------------------

// The three ordinary verdicts are possible, a `modify` also with metadata alone.
// Proves: R9
TEST(HookVerdict, MayAllowBlockAndModify) {
    EXPECT_EQ(fault_of(hook_verdict::allow()), "");
    EXPECT_EQ(fault_of(hook_verdict::block("spam")), "");
    EXPECT_EQ(fault_of(hook_verdict::modify(content::text("clean"))), "");
    hook_verdict metadata_only;
    metadata_only.what = hook_verdict::action::modify;
    metadata_only.new_metadata = json_text{};
    EXPECT_EQ(fault_of(metadata_only), "");
}

// A verdict that says to modify and not what, or names an action that does not exist, means
// nothing.
// Proves: R9
TEST(HookVerdict, HasToMeanSomething) {
    hook_verdict nothing;
    nothing.what = hook_verdict::action::modify;
    EXPECT_EQ(fault_of(nothing), "modify");
    hook_verdict unknown;
    unknown.what = static_cast<hook_verdict::action>(9);
    EXPECT_EQ(fault_of(unknown), "what");
}

// Content from a hook passes the same boundary as content from outside.
// Proves: R9, R16
TEST(HookVerdict, BringsOnlyContentThatPassesTheBoundary) {
    const auto stored = [](std::string_view json) { return *content::from_store(json); };
    EXPECT_EQ(
        fault_of(hook_verdict::modify(stored(R"({"type":"text","text":"x"})"))), "new_content"
    );
    EXPECT_EQ(fault_of(hook_verdict::modify(stored(R"({"type":"media"})"))), "new_content");
}

// A modified message stays a message, a modified edit an edit of the same event by the same right:
// that was decided before the hooks.
// Proves: R9, R13
TEST(HookVerdict, TurnsNoEventIntoAnother) {
    const room_event message = said_by_bob("event");
    const room_event edit = as_edit(said_by_bob("event"), "mine");
    const room_event deletion = as_deletion(said_by_bob("event"), "mine");
    const auto modify = [](const room_event& seen, const content& to) {
        return fault_of(hook_verdict::modify(to), seen);
    };
    EXPECT_EQ(modify(message, edit.content), "new_content");
    EXPECT_EQ(modify(edit, content::text("x")), "new_content");

    const content other_text = content::edit(event_id{"mine"}, content::text("clean"));
    const content other_target = content::edit(event_id{"yours"}, content::text("better"));
    const content other_right = content::edit(
        event_id{"mine"}, content::text("better"), edit_origin::system
    );
    EXPECT_EQ(modify(edit, other_text), "");
    EXPECT_EQ(modify(edit, other_target), "new_content");
    EXPECT_EQ(modify(edit, other_right), "new_content");

    const auto delete_mine = [](delete_kind kind, std::string_view reason) {
        return content::remove(event_id{"mine"}, kind, reason);
    };
    EXPECT_EQ(modify(deletion, delete_mine(delete_kind::sender, "typo")), "");
    EXPECT_EQ(modify(deletion, delete_mine(delete_kind::admin, "typo")), "new_content");
}

// Metadata is an object of bounded size.
// Proves: R9, R16
TEST(HookVerdict, BringsOnlySmallObjectsAsMetadata) {
    hook_verdict verdict = hook_verdict::modify(content::text("clean"));
    verdict.new_metadata = json_text::trusted("[1]");
    EXPECT_EQ(fault_of(verdict), "new_metadata");
    verdict.new_metadata = json_text::trusted(R"({"a":")" + std::string(1 << 20, 'x') + R"("})");
    EXPECT_EQ(fault_of(verdict), "new_metadata");
    verdict.new_metadata = json_text::trusted(R"({"a":1})");
    EXPECT_EQ(fault_of(verdict), "");
}

hook_verdict injecting(injected_event wanted) {
    hook_verdict verdict;
    verdict.injected.push_back(std::move(wanted));
    return verdict;
}

// Injected events are checked like any other, and can't be edits: those need a right.
// Proves: R9, R16
TEST(HookVerdict, InjectsOnlyWhatCouldBeSent) {
    EXPECT_EQ(fault_of(injecting({})), "");

    injected_event edit;
    edit.type = event_type::edit;
    edit.content = content::edit(event_id{"mine"}, content::text("x"));
    EXPECT_EQ(fault_of(injecting(edit)), "injected");
    edit.type = event_type::message;
    EXPECT_EQ(fault_of(injecting(edit)), "injected");

    injected_event hostile;
    hostile.content = *content::from_store(R"({"type":"text"})");
    EXPECT_EQ(fault_of(injecting(hostile)), "injected");

    injected_event list;
    list.metadata = json_text::trusted("[]");
    EXPECT_EQ(fault_of(injecting(list)), "injected");

    injected_event crowd;
    crowd.targets.resize(verdict_limits{}.max_targets);
    EXPECT_EQ(fault_of(injecting(crowd)), "");
    crowd.targets.emplace_back("one more");
    EXPECT_EQ(fault_of(injecting(crowd)), "injected");

    hook_verdict many;
    many.injected.resize(verdict_limits{}.max_injected);
    EXPECT_EQ(fault_of(many), "");
    many.injected.emplace_back();
    EXPECT_EQ(fault_of(many), "injected");
}

// Tasks are text of bounded length and number.
// Proves: R9, R16
TEST(HookVerdict, BringsOnlyStorableTasks) {
    const auto with = [](auto change) {
        hook_verdict verdict;
        change(verdict.tasks.emplace_back());
        return fault_of(verdict);
    };
    EXPECT_EQ(with([](room_task& t) { t.title = "look"; }), "");
    EXPECT_EQ(with([](room_task& t) { t.title = not_utf8; }), "tasks");
    EXPECT_EQ(with([](room_task& t) { t.description = too_long; }), "tasks");
    EXPECT_EQ(with([](room_task& t) { t.assigned_to = not_utf8; }), "tasks");
    EXPECT_EQ(with([](room_task& t) { t.metadata = json_text::trusted("1"); }), "tasks");

    hook_verdict many;
    many.tasks.resize(verdict_limits{}.max_tasks);
    EXPECT_EQ(fault_of(many), "");
    many.tasks.emplace_back();
    EXPECT_EQ(fault_of(many), "tasks");
}

// Observations likewise, with a confidence between 0 and 1.
// Proves: R9, R16
TEST(HookVerdict, BringsOnlyStorableObservations) {
    const auto with = [](auto change) {
        hook_verdict verdict;
        change(verdict.observations.emplace_back());
        return fault_of(verdict);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(with([](observation& o) { o.confidence = 0.0; }), "");
    EXPECT_EQ(with([](observation& o) { o.confidence = 1.1; }), "observations");
    EXPECT_EQ(with([](observation& o) { o.confidence = -0.1; }), "observations");
    EXPECT_EQ(with([nan](observation& o) { o.confidence = nan; }), "observations");
    EXPECT_EQ(with([](observation& o) { o.content = not_utf8; }), "observations");
    EXPECT_EQ(with([](observation& o) { o.category = too_long; }), "observations");
    EXPECT_EQ(with([](observation& o) { o.metadata = json_text::trusted("1"); }), "observations");

    hook_verdict many;
    many.observations.resize(verdict_limits{}.max_observations);
    EXPECT_EQ(fault_of(many), "");
    many.observations.emplace_back();
    EXPECT_EQ(fault_of(many), "observations");
}

// -- applying
// --------------------------------------------------------------------------------------------

// Allowing changes nothing, also if the verdict carries content by mistake.
// Proves: R9
TEST(HookChain, IgnoresContentThatComesWithAllow) {
    hook_chain_outcome chain;
    hook_verdict verdict = hook_verdict::allow();
    verdict.new_content = content::text("x");
    apply_verdict(named("hook"), verdict, &chain);
    room_event event = said_by_bob("event");
    apply_changes(chain, &event);
    EXPECT_EQ(event, said_by_bob("event"));
}

// Modifications add up: content of the last, metadata of whoever set it.
// Proves: R9
TEST(HookChain, AddsModificationsUp) {
    hook_chain_outcome chain;
    hook_verdict first = hook_verdict::modify(content::text("one"));
    first.new_metadata = json_text::trusted(R"({"by":"first"})");
    apply_verdict(named("first"), first, &chain);
    apply_verdict(named("second"), hook_verdict::modify(content::text("two")), &chain);
    hook_verdict third;
    third.what = hook_verdict::action::modify;
    third.new_metadata = json_text::trusted(R"({"by":"third"})");
    apply_verdict(named("third"), third, &chain);

    room_event event = said_by_bob("event");
    apply_changes(chain, &event);
    EXPECT_EQ(event.content, content::text("two"));
    EXPECT_EQ(event.metadata.str(), R"({"by":"third"})");
    EXPECT_EQ(event.status, event_status::accepted);
}

// A block names the hook and its reason.
// Proves: R9
TEST(HookChain, BlocksInTheNameOfTheHook) {
    hook_chain_outcome chain;
    apply_verdict(named("filter"), hook_verdict::block("spam_2"), &chain);
    room_event event = said_by_bob("event");
    apply_changes(chain, &event);
    EXPECT_EQ(event.status, event_status::blocked);
    EXPECT_EQ(event.blocked_by, "filter");
    EXPECT_EQ(event.block_reason, "spam_2");
}

// A block blocks whatever its reason looks like; a reason that is no word is not stored as one.
// Proves: R9, R16
TEST(HookChain, BlocksWithAnyReason) {
    for (const std::string& reason :
         {std::string{},
          std::string{"You said: <b>"},
          std::string(65, 'x'),
          std::string{"Spam"},
          std::string{"{"},
          std::string{"a-b"}}) {
        hook_chain_outcome chain;
        apply_verdict(named("filter"), hook_verdict::block(reason), &chain);
        ASSERT_TRUE(chain.blocked) << reason;
        EXPECT_EQ(chain.blocked->reason, "blocked_by_hook") << reason;
    }
}

// Side effects are kept whatever the action is, in the order of the hooks.
// Proves: R9
TEST(HookChain, KeepsSideEffectsOfEveryAction) {
    hook_chain_outcome chain;
    hook_verdict first = hook_verdict::modify(content::text("x"));
    hook_verdict second = hook_verdict::block("spam");
    for (hook_verdict* verdict : {&first, &second}) {
        const std::string name = verdict == &first ? "first" : "second";
        verdict->injected.emplace_back().content = content::text(name);
        verdict->tasks.emplace_back().title = name;
        verdict->observations.emplace_back().content = name;
        apply_verdict(named(name), *verdict, &chain);
    }
    ASSERT_EQ(chain.injected.size(), 2U);
    EXPECT_EQ(chain.injected[0].content.body(), "first");
    EXPECT_EQ(chain.injected[1].content.body(), "second");
    ASSERT_EQ(chain.tasks.size(), 2U);
    EXPECT_EQ(chain.tasks[1].title, "second");
    ASSERT_EQ(chain.observations.size(), 2U);
    EXPECT_EQ(chain.observations[1].content, "second");
}

// Without a verdict the declared policy decides.
// Proves: R9
TEST(HookChain, FollowsTheFailurePolicy) {
    hook_chain_outcome open;
    apply_failure(named("filter"), hook_failure_policy::fail_open, &open);
    EXPECT_FALSE(open.blocked);

    hook_chain_outcome closed;
    apply_failure(named("filter"), hook_failure_policy::fail_closed, &closed);
    ASSERT_TRUE(closed.blocked);
    EXPECT_EQ(closed.blocked->by, "filter");
    EXPECT_EQ(closed.blocked->reason, "hook_failed");
}

// A hook in which workers keep dying blocks the event, whatever its policy.
// Proves: R9
TEST(HookChain, GivesUpOnAHookThatKillsWorkers) {
    hook_chain_outcome chain;
    apply_crashes(named("killer"), &chain);
    ASSERT_TRUE(chain.blocked);
    EXPECT_EQ(chain.blocked->by, "killer");
    EXPECT_EQ(chain.blocked->reason, "hook_crashed");
}

}  // namespace
}  // namespace convene
