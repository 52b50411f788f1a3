// SPDX-License-Identifier: Apache-2.0
// Remote hooks: before the lock, under it, after delivery; hooks that hang, fail, or send themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "store/operations/hooks.hpp"
#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

using texts = std::vector<std::string>;
using receipt_slot = std::optional<result<send_receipt>>;

class KitRemoteHooks : public testing::Test {
   protected:
    KitRemoteHooks() { scene.open(); }

    /// A hook of the room `r`, unless it is changed before it is put.
    static remote_hook hook_of(const std::string& id, hook_mode mode = hook_mode::remote) {
        remote_hook hook;
        hook.id = hook_id{id};
        hook.room = room_id{"r"};
        hook.mode = mode;
        return hook;
    }

    void put(remote_hook hook) { scene.ask(ops::put_hook{std::move(hook), {}}); }

    void answer(const std::string& id, hook_verdict verdict) {
        scene.hooks.set(hook_id{id}, [verdict](remote_hook_call) { return say(verdict); });
    }

    void hang(const std::string& id) { scene.hooks.set(hook_id{id}, scripted_hook_caller::hang); }

    static awaitable<result<hook_verdict>> say(result<hook_verdict> verdict) { co_return verdict; }

    room_id add_room(const std::string& id) {
        room added;
        added.id = room_id{id};
        EXPECT_TRUE(scene.loop.run(scene.kit->create_room(added, scene.bindings, {})));
        return room_id{id};
    }

    static outgoing_event says_in(room_id room, std::string text) {
        outgoing_event sent = kit_scene::says(std::move(text));
        sent.room = std::move(room);
        return sent;
    }

    room_event commit(const std::string& text) {
        const auto receipt = scene.send(kit_scene::says(text), wait_for::committed);
        EXPECT_TRUE(receipt) << receipt.error().message();
        return receipt ? receipt->event : room_event{};
    }

    [[nodiscard]] texts texts_in(const std::string& room) {
        ops::list_events all;
        all.room = room_id{room};
        all.limit = 1000;
        texts said;
        for (const room_event& event : scene.ask(all)) {
            said.push_back(readable_text(event.content));
        }
        return said;
    }

    /// What a hook server does that posts into a room before it answers.
    void post_from(const std::string& hook, room_id into, std::string text) {
        room_kit* const kit = scene.kit.get();
        scene.hooks.set(hook_id{hook}, [this, kit, into, text](remote_hook_call asked) {
            return post(kit, says_in(into, text), std::move(asked), &posted);
        });
    }

    static awaitable<hook_verdict> allow() { co_return hook_verdict::allow(); }

    /// A hook of this process that sends from inside the lock.
    static awaitable<hook_verdict> nest(room_kit* kit, hook_input input) {
        if (readable_text(input.event.content) == "nested") {
            co_return hook_verdict::allow();
        }
        auto nested = kit_scene::says("nested");
        const auto sent = co_await kit->send_event(std::move(nested), wait_for::committed);
        EXPECT_TRUE(sent && sent->event.block_reason == "hook_failed");
        co_return hook_verdict::allow();
    }

    /// Sends more for a person's event than anybody may.
    static awaitable<result<hook_verdict>> flood(room_kit* kit, remote_hook_call asked) {
        for (int i = 0; i < 40 && asked.input.event.chain_depth == 0; ++i) {
            outgoing_event sent = kit_scene::says("more");
            sent.cause = asked.cause;
            const auto staged = co_await kit->send_event(std::move(sent), wait_for::committed);
            EXPECT_TRUE(staged);
        }
        co_return hook_verdict::allow();
    }

    static awaitable<result<hook_verdict>> post(
        room_kit* kit,
        outgoing_event sent,
        remote_hook_call asked,
        std::vector<result<send_receipt>>* receipts
    ) {
        const bool is_own = readable_text(asked.input.event.content) == readable_text(sent.content);
        if (is_own) {
            co_return hook_verdict::allow();
        }
        sent.cause = asked.cause;
        auto receipt = co_await kit->send_event(std::move(sent), wait_for::committed);
        receipts->push_back(std::move(receipt));
        co_return hook_verdict::allow();
    }

    kit_scene scene;
    std::vector<result<send_receipt>> posted;
    task_scope running{scene.loop};
};

// ---- verdicts --------------------------------------------------------------------------------------------

// A remote hook may allow, block, modify and inject, as one of this process may.
// Proves: R9, R11a
TEST_F(KitRemoteHooks, HaveTheirVerdicts) {
    put(hook_of("h"));
    EXPECT_EQ(commit("one").status, event_status::accepted);
    answer("h", hook_verdict::block("spam"));
    const room_event blocked = commit("two");
    EXPECT_EQ(blocked.status, event_status::blocked);
    EXPECT_EQ(blocked.blocked_by, "h");
    EXPECT_EQ(blocked.block_reason, "spam");
    EXPECT_EQ(blocked.index, event_index{1});
    hook_verdict verdict = hook_verdict::modify(content::text("clean"));
    injected_event more;
    more.content = content::text("by the way");
    verdict.injected.push_back(std::move(more));
    answer("h", verdict);
    const room_event modified = commit("three");
    EXPECT_EQ(readable_text(modified.content), "clean");
    const auto timeline = scene.timeline();
    ASSERT_EQ(timeline.size(), 4U);
    EXPECT_EQ(readable_text(timeline[3].content), "by the way");
    EXPECT_EQ(timeline[3].caused_by, modified.id);
}

// Lower priorities are asked first, each about the event as those before it left it; after one that blocks, none.
// Proves: R9
TEST_F(KitRemoteHooks, AreAskedInTheirOrder) {
    remote_hook second = hook_of("a");
    second.priority = 5;
    put(second);
    put(hook_of("b"));
    answer("b", hook_verdict::modify(content::text("changed")));
    commit("hello");
    ASSERT_EQ(scene.hooks.calls.size(), 2U);
    EXPECT_EQ(scene.hooks.calls[0].hook->id, hook_id{"b"});
    EXPECT_EQ(readable_text(scene.hooks.calls[1].input.event.content), "changed");
    answer("b", hook_verdict::block("no"));
    commit("again");
    EXPECT_EQ(scene.hooks.calls.size(), 3U);
}

// A hook of this process is asked after the remote ones, about what they made of the event.
// Proves: R6, R9
TEST_F(KitRemoteHooks, ComeBeforeLocalOnes) {
    put(hook_of("remote"));
    answer("remote", hook_verdict::modify(content::text("changed")));
    texts seen;
    hook_definition local;
    local.id = hook_id{"local"};
    local.run = coroutine_hook{[&seen](hook_input input) {
        seen.push_back(readable_text(input.event.content));
        return allow();
    }};
    ASSERT_TRUE(scene.kit->add_hook(std::move(local)));
    commit("hello");
    EXPECT_THAT(seen, ElementsAre("changed"));
}

// Filters say which events a hook is asked about.
// Proves: R9
TEST_F(KitRemoteHooks, MeetWhatTheirFiltersSay) {
    remote_hook hook = hook_of("h");
    hook.event_types = {event_type::system};
    put(hook);
    hook.id = hook_id{"i"};
    hook.event_types.clear();
    hook.channel_types = {"nowhere"};
    put(hook);
    hook.id = hook_id{"j"};
    hook.channel_types.clear();
    hook.is_enabled = false;
    put(hook);
    commit("hello");
    EXPECT_THAT(scene.hooks.calls, IsEmpty());
}

// A hook of the organisation meets the events of all its rooms, from the next one on, also in rooms that are in use.
// Proves: R9
TEST_F(KitRemoteHooks, MayBeAnOrganizations) {
    const room_id other = add_room("other");
    commit("before");
    remote_hook hook = hook_of("h");
    hook.room = {};
    put(hook);
    commit("one");
    ASSERT_TRUE(scene.send(says_in(other, "two"), wait_for::committed));
    EXPECT_EQ(scene.hooks.calls.size(), 2U);
    scene.ask(ops::delete_hook{{}, hook_id{"h"}, {}});
    commit("after");
    EXPECT_EQ(scene.hooks.calls.size(), 2U);
}

// ---- before the lock -------------------------------------------------------------------------------------

// While a hook hangs, its room's lock is free, other rooms commit, and at its deadline its policy counts.
// Proves: R6, R9 (rk:D4)
TEST_F(KitRemoteHooks, ThatHangHoldNothing) {
    put(hook_of("h"));
    hang("h");
    const room_id other = add_room("other");
    receipt_slot slow;
    const monotonic_time started = scene.loop.now();
    scene.start_send(running, kit_scene::says("slow"), slow, wait_for::committed);
    scene.loop.run_ready();
    ASSERT_EQ(scene.hooks.calls.size(), 1U);
    EXPECT_EQ(scene.kit->remote_hooks().asking, 1U);
    {
        auto lock = scene.loop.run(scene.locks->try_acquire(lease_name::room({}, room_id{"r"})));
        EXPECT_TRUE(lock) << "the lock is not held while the hook is asked";
    }
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(scene.send(says_in(other, "quick"), wait_for::committed));
    }
    EXPECT_EQ(scene.loop.now(), started) << "nobody waited for the hook";
    scene.loop.advance(seconds{2});
    ASSERT_TRUE(slow && *slow);
    EXPECT_EQ((*slow)->event.status, event_status::accepted);
    EXPECT_EQ(scene.notices("hook_failed").size(), 1U);
    EXPECT_EQ(scene.kit->remote_hooks().asking, 0U);
}

// What gives no verdict counts by the hook's policy.
// Proves: R9
TEST_F(KitRemoteHooks, ThatFailCountByTheirPolicy) {
    remote_hook hook = hook_of("h");
    hook.on_failure = hook_failure_policy::fail_closed;
    put(hook);
    for (const errc failure :
         {errc::unavailable, errc::invalid_argument, errc::hook_failed, errc::timed_out}) {
        scene.hooks.set(hook_id{"h"}, [failure](remote_hook_call) { return say(failure); });
        const room_event blocked = commit("hello");
        EXPECT_EQ(blocked.status, event_status::blocked);
        EXPECT_EQ(blocked.block_reason, "hook_failed");
    }
    EXPECT_EQ(scene.notices("hook_failed").size(), 4U);
    // Impossible is as bad as none.
    hook_verdict nothing;
    nothing.what = hook_verdict::action::modify;
    answer("h", nothing);
    EXPECT_EQ(commit("hello").block_reason, "hook_failed");
}

// After five failures in a row a hook is left alone for a minute; then one event tries it again.
// Proves: R9
TEST_F(KitRemoteHooks, ThatKeepFailingAreKeptOut) {
    put(hook_of("h"));
    scene.hooks.set(hook_id{"h"}, [](remote_hook_call) { return say(errc::unavailable); });
    for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(commit("hello").status, event_status::accepted);
    }
    EXPECT_EQ(scene.hooks.calls.size(), 5U);
    EXPECT_EQ(scene.kit->remote_hooks().kept_out, 1U);
    answer("h", hook_verdict::block("spam"));
    scene.loop.advance(seconds{60});
    EXPECT_EQ(commit("hello").status, event_status::blocked);
    EXPECT_EQ(scene.hooks.calls.size(), 6U);
    EXPECT_EQ(scene.kit->remote_hooks().kept_out, 0U);
}

// That a hook is kept out, and that it is asked again, is told: with the event whose failure it was, or behind it.
// Proves: R19
TEST_F(KitRemoteHooks, TellThatTheyAreKeptOut) {
    put(hook_of("h"));
    scene.hooks.set(hook_id{"h"}, [](remote_hook_call) { return say(errc::unavailable); });
    for (int i = 0; i < 7; ++i) {
        commit("hello");
    }
    const auto opened = scene.notices("circuit_breaker_opened");
    ASSERT_EQ(opened.size(), 1U);
    EXPECT_EQ(opened.front().data.str(), R"({"hook":"h"})");
    EXPECT_EQ(opened.front().room, room_id{"r"});
    EXPECT_THAT(scene.notices("circuit_breaker_closed"), IsEmpty());
    answer("h", hook_verdict::allow());
    scene.loop.advance(seconds{60});
    commit("hello");
    EXPECT_EQ(scene.notices("circuit_breaker_closed").size(), 1U);
}

// The same of hooks that are told after delivery.
// Proves: R19
TEST_F(KitRemoteHooks, ThatAreToldAfterwardsTellThatTheyAreKeptOut) {
    put(hook_of("h", hook_mode::after_delivery));
    scene.hooks.set(hook_id{"h"}, [](remote_hook_call) { return say(errc::unavailable); });
    commit("one");
    commit("two");
    scene.loop.advance(seconds{30});
    EXPECT_EQ(scene.notices("circuit_breaker_opened").size(), 1U);
}

// What is refused, and what is known already, is asked about by nobody.
// Proves: R6, R8, R9
TEST_F(KitRemoteHooks, AreNotAskedAboutWhatIsRefusedOrRepeated) {
    put(hook_of("h"));
    ASSERT_TRUE(scene.send(kit_scene::says("hello", "k"), wait_for::committed));
    const auto again = scene.send(kit_scene::says("hello", "k"), wait_for::committed);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->is_replay);
    EXPECT_EQ(
        scene.send(kit_scene::says("other", "k"), wait_for::committed).error(),
        errc::idempotency_key_reused
    );
    ops::update_room closing;
    closing.id = room_id{"r"};
    closing.status = room_status::closed;
    scene.ask(closing);
    EXPECT_EQ(scene.send(kit_scene::says("late"), wait_for::committed).error(), errc::room_closed);
    EXPECT_EQ(scene.hooks.calls.size(), 1U);
}

// A verdict counts for the room it was given about: if that changes meanwhile, the hook is asked again, once.
// Proves: R6, R9
TEST_F(KitRemoteHooks, AreAskedAgainAboutAChangedRoom) {
    put(hook_of("h"));
    commit("warm");
    int changes = 1;
    scene.hooks.set(hook_id{"h"}, [this, &changes](remote_hook_call asked) {
        if (changes > 0) {
            --changes;
            participant joined;
            joined.room = room_id{"r"};
            joined.id = participant_id{"p" + std::to_string(changes)};
            tables& stored = scene.world->stored;
            EXPECT_TRUE(stored.apply(ops::put_participant{{}, joined}));
        }
        return say(asked.attempt == 2 ? hook_verdict::block("second") : hook_verdict::allow());
    });
    EXPECT_EQ(commit("hello").block_reason, "second");
    ASSERT_EQ(scene.hooks.calls.size(), 3U);
    EXPECT_EQ(scene.hooks.calls[2].id, scene.hooks.calls[1].id);
    changes = 100;
    EXPECT_EQ(
        scene.send(kit_scene::says("again"), wait_for::committed).error(), errc::room_contended
    );
    EXPECT_EQ(scene.hooks.calls.size(), 5U);
}

// The bound of all that comes before a commit holds for hooks too, and leaves nothing behind.
// Proves: R7, R9
TEST(KitRemoteHooksBound, IsTheProcessTimeout) {
    kit_scene scene{room_kit_settings{.process_timeout = seconds{1}}};
    scene.open();
    remote_hook hook;
    hook.id = hook_id{"h"};
    hook.room = room_id{"r"};
    hook.deadline = seconds{10};
    scene.ask(ops::put_hook{hook, {}});
    scene.hooks.set(hook_id{"h"}, scripted_hook_caller::hang);
    const monotonic_time started = scene.loop.now();
    const auto late = scene.send(kit_scene::says("hello"), wait_for::committed);
    EXPECT_EQ(late.error(), errc::process_timeout);
    EXPECT_EQ(scene.loop.now() - started, seconds{1});
    EXPECT_THAT(scene.timeline(), IsEmpty());
}

// Events of one room are asked about at once, and stored in the order in which they came.
// Proves: R1, R9
TEST_F(KitRemoteHooks, KeepTheOrderOfEvents) {
    put(hook_of("h"));
    commit("warm");
    scene.hooks.set(hook_id{"h"}, [](remote_hook_call asked) {
        const bool is_first = readable_text(asked.input.event.content) == "m0";
        return is_first ? scripted_hook_caller::hang(std::move(asked)) : say(hook_verdict::allow());
    });
    std::vector<receipt_slot> slots(5);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        scene.start_send(
            running, kit_scene::says("m" + std::to_string(i)), slots[i], wait_for::committed
        );
    }
    scene.loop.run_ready();
    EXPECT_EQ(scene.hooks.calls.size(), 6U);
    scene.loop.advance(seconds{2});
    EXPECT_THAT(texts_in("r"), ElementsAre("warm", "m0", "m1", "m2", "m3", "m4"));
}

// ---- under the lock --------------------------------------------------------------------------------------

// A serial hook sees the very position that its event gets.
// Proves: R6, R9
TEST_F(KitRemoteHooks, ThatAreSerialSeeThePosition) {
    put(hook_of("h", hook_mode::serial));
    std::vector<receipt_slot> slots(3);
    for (receipt_slot& slot : slots) {
        scene.start_send(running, kit_scene::says("hello"), slot, wait_for::committed);
    }
    scene.loop.advance(seconds{1});
    ASSERT_EQ(scene.hooks.calls.size(), 3U);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        ASSERT_TRUE(slots[i] && *slots[i]);
        EXPECT_EQ(scene.hooks.calls[i].input.event.id, (*slots[i])->event.id);
        EXPECT_EQ(scene.hooks.calls[i].input.event.index, (*slots[i])->event.index);
    }
}

// Serial hooks hold at most a quarter of the commit slots: the next ones fail by their policy within their own
// deadline, and rooms without such a hook are not touched.
// Proves: R9
TEST_F(KitRemoteHooks, ThatAreSerialAreFew) {
    std::vector<receipt_slot> slots(4);
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const room_id in = add_room("room" + std::to_string(i));
        remote_hook hook = hook_of("h" + std::to_string(i), hook_mode::serial);
        hook.room = in;
        put(hook);
        hang(hook.id.str());
        scene.start_send(running, says_in(in, "slow"), slots[i], wait_for::committed);
    }
    scene.loop.run_ready();
    EXPECT_EQ(scene.kit->remote_hooks().asking_in_lock, 2U) << "8 slots: a quarter are 2";
    EXPECT_EQ(scene.hooks.calls.size(), 2U);
    const monotonic_time started = scene.loop.now();
    commit("quick");
    EXPECT_EQ(scene.loop.now(), started);
    scene.loop.advance(seconds{2});
    for (const receipt_slot& slot : slots) {
        ASSERT_TRUE(slot && *slot) << "within one deadline";
    }
    EXPECT_EQ(scene.kit->remote_hooks().asking_in_lock, 0U);
}

// However many serial hooks an event meets, the room waits for 2 s, and other events come in between.
// Proves: R9
TEST_F(KitRemoteHooks, ThatAreSerialShareTheirTime) {
    for (const char* id : {"a", "b", "c"}) {
        put(hook_of(id, hook_mode::serial));
        hang(id);
    }
    const monotonic_time started = scene.loop.now();
    commit("hello");
    EXPECT_EQ(scene.loop.now() - started, seconds{2});
    EXPECT_EQ(scene.hooks.calls.size(), 1U);
    EXPECT_EQ(scene.notices("hook_failed").size(), 3U);
}

// What a hook of this process sends from inside the lock can be shown to nobody outside: each policy counts.
// Proves: R9
TEST_F(KitRemoteHooks, CountAsFailedForWhatIsSentInsideTheLock) {
    remote_hook strict = hook_of("strict");
    strict.on_failure = hook_failure_policy::fail_closed;
    put(strict);
    put(hook_of("lax", hook_mode::serial));
    room_kit* const kit = scene.kit.get();
    hook_definition local;
    local.id = hook_id{"local"};
    local.run = coroutine_hook{[kit](hook_input input) { return nest(kit, std::move(input)); }};
    ASSERT_TRUE(scene.kit->add_hook(std::move(local)));
    EXPECT_EQ(commit("outer").status, event_status::accepted);
    EXPECT_THAT(texts_in("r"), ElementsAre("nested", "outer"));
}

// ---- what hooks send -------------------------------------------------------------------------------------

// A hook server that posts into the very room that waits for it is answered at once; what it sent comes next.
// Proves: R9, R11, R11a
TEST_F(KitRemoteHooks, MaySendIntoTheirOwnRoom) {
    put(hook_of("h"));
    post_from("h", room_id{"r"}, "from the hook");
    const monotonic_time started = scene.loop.now();
    const room_event cause = commit("hello");
    EXPECT_EQ(scene.loop.now(), started) << "nobody waited for the other";
    ASSERT_EQ(posted.size(), 1U);
    ASSERT_TRUE(posted[0]);
    EXPECT_EQ(posted[0]->progress, delivery_progress::staged);
    scene.loop.run_ready();
    const auto timeline = scene.timeline();
    ASSERT_EQ(timeline.size(), 2U);
    EXPECT_EQ(readable_text(timeline[1].content), "from the hook");
    EXPECT_EQ(timeline[1].id, posted[0]->event.id);
    EXPECT_EQ(timeline[1].caused_by, cause.id);
    EXPECT_EQ(timeline[1].chain_depth, 1);
    EXPECT_EQ(timeline[1].plan.cascade, cause.plan.cascade);
}

// Two rooms whose hooks post into each other wait for neither: each event follows what it was caused by.
// Proves: R9, R11 (rk:L15)
TEST_F(KitRemoteHooks, MaySendInACircle) {
    const room_id other = add_room("other");
    put(hook_of("here"));
    remote_hook there = hook_of("there");
    there.room = other;
    put(there);
    post_from("here", other, "over there");
    post_from("there", room_id{"r"}, "back here");
    const monotonic_time started = scene.loop.now();
    const room_event cause = commit("hello");
    scene.loop.run_ready();
    EXPECT_EQ(scene.loop.now(), started);
    const texts here = texts_in("r");
    const texts there_said = texts_in("other");
    ASSERT_GE(here.size(), 2U);
    EXPECT_EQ(here[0], "hello");
    EXPECT_EQ(here[1], "back here");
    ASSERT_GE(there_said.size(), 1U);
    EXPECT_EQ(there_said[0], "over there");
    EXPECT_LE(here.size() + there_said.size(), 11U) << "the chain's depth ends it";
    EXPECT_EQ(scene.timeline()[0].id, cause.id);
}

// Nothing that one event causes through hooks exceeds the budget of its cascade.
// Proves: R11
TEST_F(KitRemoteHooks, CauseNoMoreThanTheBudget) {
    put(hook_of("h"));
    room_kit* const kit = scene.kit.get();
    scene.hooks.set(hook_id{"h"}, [kit](remote_hook_call asked) {
        return flood(kit, std::move(asked));
    });
    commit("hello");
    scene.loop.advance(seconds{1});
    const auto timeline = scene.timeline();
    EXPECT_EQ(timeline.size(), 41U);
    const auto accepted = std::ranges::count(timeline, event_status::accepted, &room_event::status);
    EXPECT_LE(accepted, 1 + 25) << "hooks get half of 50";
    EXPECT_GE(accepted, 3);
    EXPECT_EQ(timeline.back().block_reason, "cascade_budget_exceeded");
}

// What happened in another organisation is no cause.
// Proves: X1
TEST_F(KitRemoteHooks, CauseNothingElsewhere) {
    outgoing_event sent = kit_scene::says("hello");
    sent.cause.emplace();
    sent.cause->organization = organization_id{"globex"};
    EXPECT_EQ(scene.send(sent).error(), errc::invalid_argument);
}

// ---- after delivery --------------------------------------------------------------------------------------

// A hook after delivery is told once its event is delivered, again if it fails, under one id.
// Proves: R9, D11
TEST_F(KitRemoteHooks, AreToldOfDeliveredEvents) {
    put(hook_of("h", hook_mode::after_delivery));
    scene.hooks.set(hook_id{"h"}, [](remote_hook_call asked) {
        return asked.attempt == 1 ? say(errc::unavailable) : say(hook_verdict::allow());
    });
    const auto receipt = scene.send(kit_scene::says("hello"));
    ASSERT_TRUE(receipt);
    EXPECT_EQ(receipt->progress, delivery_progress::delivered) << "nobody waits for it";
    scene.loop.advance(seconds{5});
    ASSERT_EQ(scene.hooks.calls.size(), 2U);
    EXPECT_EQ(scene.hooks.calls[0].id, scene.hooks.calls[1].id);
    EXPECT_EQ(scene.hooks.calls[1].attempt, 2);
    EXPECT_THAT(scene.hooks.calls[0].cause.rooms, IsEmpty());
    const auto rows = scene.ask(ops::list_deliveries{room_id{"r"}, receipt->event.id});
    const auto row = std::ranges::find(rows, target_kind::hook_after, &delivery_row::kind);
    ASSERT_NE(row, rows.end());
    EXPECT_EQ(row->state, delivery_state::done);
    EXPECT_EQ(row->attempts, 2);
}

// A crash before it was told loses nothing: whoever comes next tells it, under the same id.
// Proves: R9, D7, D11
TEST(KitRemoteHooksAfterACrash, AreTold) {
    auto world = std::make_shared<shared_world>();
    std::string first_id;
    {
        kit_scene first{world, {}};
        first.open();
        remote_hook hook;
        hook.id = hook_id{"h"};
        hook.room = room_id{"r"};
        hook.mode = hook_mode::after_delivery;
        first.ask(ops::put_hook{hook, {}});
        first.hooks.set(hook_id{"h"}, scripted_hook_caller::hang);
        ASSERT_TRUE(first.send(kit_scene::says("hello")));
        first.loop.run_ready();
        ASSERT_EQ(first.hooks.calls.size(), 1U);
        first_id = first.hooks.calls[0].id;
        first.crash();
    }
    kit_scene second{world, {}};
    second.reopen();
    second.loop.advance(seconds{2});
    ASSERT_EQ(second.hooks.calls.size(), 1U);
    EXPECT_EQ(second.hooks.calls[0].id, first_id);
}

}  // namespace
}  // namespace convene
