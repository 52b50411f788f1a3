// SPDX-License-Identifier: Apache-2.0
// The gates: what each lets through, and in which order they answer.
#include "room/gates.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace convene {
namespace {

constexpr room_limits limits{};

gate_decision decide(const scene& room, const proposal& what) {
    return pass_gates(room.facts(), what, limits);
}

/// What was admitted; an event without an id if it was not.
admitted admit(const scene& room, const proposal& what, const room_limits& within = limits) {
    gate_decision decision = pass_gates(room.facts(), what, within);
    auto* in = std::get_if<admitted>(&decision);
    EXPECT_NE(in, nullptr);
    return in != nullptr ? std::move(*in) : admitted{};
}

/// The code of a refusal; nothing if there was none.
std::optional<errc> refused(const scene& room, const proposal& what) {
    const gate_decision decision = decide(room, what);
    const auto* no = std::get_if<refusal>(&decision);
    return no != nullptr ? std::optional{no->code} : std::nullopt;
}

std::vector<std::string> types_of(const std::vector<framework_event>& notices) {
    std::vector<std::string> types;
    for (const framework_event& notice : notices) {
        types.push_back(notice.type);
    }
    return types;
}

using types = std::vector<std::string>;

// An ordinary message passes unchanged and without a word.
// Proves: R6
TEST(Gates, AdmitAnOrdinaryMessage) {
    const scene room;
    const room_event said = said_by_bob("event");
    const admitted in = admit(room, proposed(said));
    EXPECT_EQ(in.event, said);
    EXPECT_TRUE(in.notices.empty());
}

// -- status
// ----------------------------------------------------------------------------------------------

// Nothing enters a closed or archived room, on whichever way it comes; an open or paused one takes
// all.
// Proves: R4
TEST(StatusGate, RefusesEveryWayIntoAClosedRoom) {
    scene room;
    for (const origin from :
         {origin::inbound, origin::sent, origin::reply, origin::injected, origin::greeting}) {
        const auto in = [&](room_status status) {
            room.context.room.status = status;
            return refused(room, proposed(said_by_bob("event"), from));
        };
        EXPECT_EQ(in(room_status::closed), errc::room_closed);
        EXPECT_EQ(in(room_status::archived), errc::room_closed);
        EXPECT_EQ(in(room_status::active), std::nullopt);
        EXPECT_EQ(in(room_status::paused), std::nullopt);
    }
}

// The status is asked first: a closed room does not even answer a repeat.
// Proves: R4, R6
TEST(StatusGate, ComesBeforeIdempotency) {
    scene room;
    room.context.room.status = room_status::closed;
    room.hits.push_back({"key", "hash", said_by_bob("first")});
    room_event event = said_by_bob("second");
    event.idempotency_key = "key";
    event.request_hash = "hash";
    EXPECT_EQ(refused(room, proposed(event)), errc::room_closed);
}

// -- shape
// -----------------------------------------------------------------------------------------------

// A message that carries an edit would change its target without the right to.
// Proves: R13, R16
TEST(ShapeGate, RefusesContentOfAnotherType) {
    scene room;
    room_event event = said_by_bob("event");
    event.content = content::edit(event_id{"e"}, content::text("x"));
    EXPECT_EQ(refused(room, proposed(event)), errc::invalid_argument);
}

// The keys of answers belong to agent rows: whoever could use one could keep an answer from being
// stored.
// Proves: R8, D7
TEST(ShapeGate, KeepsReplyKeysForReplies) {
    const scene room;
    room_event event = said("event", "helper");
    event.idempotency_key = "reply:row:0:0";
    for (const origin from : {origin::inbound, origin::sent, origin::injected, origin::greeting}) {
        EXPECT_EQ(refused(room, proposed(event, from)), errc::invalid_argument);
    }
    EXPECT_EQ(refused(room, proposed(event, origin::reply)), std::nullopt);
}

// People send messages, edits and deletions; notices and tool calls are not theirs to send.
// Proves: R16
TEST(ShapeGate, LetsNobodySpeakAsTheServer) {
    scene room;
    room_event notice = said_by_bob("event");
    notice.content = content::system("You have won");
    EXPECT_EQ(refused(room, proposed(notice, origin::inbound)), errc::not_authorized);
    EXPECT_EQ(refused(room, proposed(notice, origin::sent)), std::nullopt);

    room_event call = said_by_bob("event");
    call.content = content::tool_call({});
    EXPECT_EQ(refused(room, proposed(call, origin::inbound)), errc::not_authorized);

    room.referenced.push_back(said_by_bob("mine"));
    const room_event edit = as_edit(said_by_bob("event"), "mine");
    const room_event deletion = as_deletion(said_by_bob("event"), "mine");
    EXPECT_EQ(refused(room, proposed(edit, origin::inbound)), std::nullopt);
    EXPECT_EQ(refused(room, proposed(deletion, origin::inbound)), std::nullopt);
}

// -- idempotency
// -----------------------------------------------------------------------------------------

room_event repeat_of(std::string key, std::string hash) {
    room_event event = said_by_bob("second");
    event.idempotency_key = std::move(key);
    event.request_hash = std::move(hash);
    return event;
}

// A repeat gets the first result as it is stored, also when that was blocked.
// Proves: R8
TEST(IdempotencyGate, AnswersARepeatWithTheFirstResult) {
    scene room;
    room_event first = said_by_bob("first");
    first.status = event_status::blocked;
    room.hits.push_back({"other", "hash", said_by_ann("other")});
    room.hits.push_back({"key", "hash", first});
    const gate_decision decision = decide(room, proposed(repeat_of("key", "hash")));
    const auto* known = std::get_if<replayed>(&decision);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->event, first);
}

// The same key with another body is a mistake of the caller, never a silent loss.
// Proves: R8
TEST(IdempotencyGate, RefusesAnotherRequestWithAKnownKey) {
    scene room;
    room.hits.push_back({"key", "hash", said_by_bob("first")});
    room.hits.push_back({"gone", "hash", std::nullopt});
    EXPECT_EQ(refused(room, proposed(repeat_of("key", "else"))), errc::idempotency_key_reused);
    EXPECT_EQ(refused(room, proposed(repeat_of("gone", "else"))), errc::idempotency_key_reused);
}

// A repeat of what was hard-deleted does not bring it back.
// Proves: R8
TEST(IdempotencyGate, SaysThatTheEventWasDeleted) {
    scene room;
    room.hits.push_back({"key", "hash", std::nullopt});
    EXPECT_EQ(refused(room, proposed(repeat_of("key", "hash"))), errc::event_deleted);
}

// Two repeats in one batch store one event: the second sees the first before it is committed.
// Proves: R8
TEST(IdempotencyGate, SeesKeysOfTheSameBatch) {
    scene room;
    room.earlier.push_back(repeat_of("key", "hash"));
    room.earlier.back().id = event_id{"first"};
    const gate_decision decision = decide(room, proposed(repeat_of("key", "hash")));
    const auto* known = std::get_if<replayed>(&decision);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->event.id, event_id{"first"});
    EXPECT_EQ(refused(room, proposed(repeat_of("key", "else"))), errc::idempotency_key_reused);
}

// New keys and events without a key are not looked for: two events without one are two events.
// Proves: R8
TEST(IdempotencyGate, LetsNewKeysAndNoKeysPass) {
    scene room;
    room.hits.push_back({"other", "hash", said_by_ann("other")});
    room.earlier.push_back(said_by_bob("first"));
    EXPECT_EQ(refused(room, proposed(repeat_of("key", "hash"))), std::nullopt);
    EXPECT_EQ(admit(room, proposed(said_by_bob("second"))).event.id, event_id{"second"});
}

// -- threads and changes
// ---------------------------------------------------------------------------------

// A lost parent is a notice, and the event enters at the top level.
// Proves: R12, R6
TEST(ThreadGate, AdmitsAnOrphanWithANotice) {
    const scene room;
    room_event event = said_by_bob("event");
    event.parent = event_id{"gone"};
    const admitted in = admit(room, proposed(event));
    EXPECT_TRUE(in.event.parent.empty());
    EXPECT_EQ(types_of(in.notices), (types{"thread_parent_not_found"}));
}

// An injected event has its cause's place already; its root need not be loaded again.
// Proves: R11a, R12
TEST(ThreadGate, LeavesInjectedEventsWhereTheirCauseIs) {
    const scene room;
    room_event event = said_by_the_system("event");
    event.parent = event_id{"root"};
    const admitted in = admit(room, proposed(event, origin::injected));
    EXPECT_EQ(in.event.parent, event_id{"root"});
    EXPECT_TRUE(in.notices.empty());
}

// A change without the right to it stores nothing.
// Proves: R13, R6
TEST(ChangeGate, RefusesWithoutTheRight) {
    scene room;
    room.referenced.push_back(said_by_ann("anns"));
    EXPECT_EQ(refused(room, proposed(as_edit(said_by_bob("e"), "anns"))), errc::not_authorized);
    EXPECT_EQ(
        refused(room, proposed(as_edit(said_by_bob("e"), "none"))), errc::target_event_not_found
    );
    EXPECT_EQ(refused(room, proposed(as_edit(said_by_ann("e"), "anns"))), std::nullopt);
}

// The new text of a whisper is a whisper too, whether the whisper is the event's or its binding's.
// Who asks for a visibility of their own gets it.
// Proves: R10, R13
TEST(ChangeGate, ShowsAChangeToThoseWhoSeeItsTarget) {
    scene room;
    room.referenced.push_back(said_by_ann("whisper"));
    room.referenced.push_back(said_by_ann("plain"));
    room.referenced[0].visibility = visibility{list_of({"web"})};
    const auto shown = [&](const room_event& edit) {
        return admit(room, proposed(edit)).event.visibility.text();
    };
    EXPECT_EQ(shown(as_edit(said_by_ann("e"), "whisper")), "web");
    EXPECT_EQ(shown(as_edit(said_by_ann("e"), "plain")), "all");

    room.at("sms").visibility = visibility{visibility::scope::transport};
    EXPECT_EQ(shown(as_edit(said_by_ann("e"), "plain")), "transport");

    room_event chosen = as_edit(said_by_ann("e"), "whisper");
    chosen.visibility = visibility{visibility::scope::none};
    EXPECT_EQ(shown(chosen), "none");
}

// -- chain depth and budget
// ------------------------------------------------------------------------------

proposal reply_at(std::int32_t depth, std::int32_t budget = 0) {
    proposal made = proposed(said("reply", "helper"), origin::reply);
    made.event.chain_depth = depth;
    made.event.plan.budget = budget;
    made.event.plan.cascade = cascade_id{"root"};
    made.event.caused_by = event_id{"trigger"};
    return made;
}

// The reply at the limit is stored blocked, and a notice says who went too far; the one before it
// passes.
// Proves: R11, R19
TEST(ChainDepthGate, BlocksTheReplyAtTheLimit) {
    const scene room;
    EXPECT_EQ(admit(room, reply_at(4)).event.status, event_status::accepted);

    const admitted in = admit(room, reply_at(5));
    EXPECT_EQ(in.event.status, event_status::blocked);
    EXPECT_EQ(in.event.blocked_by, "chain_depth");
    EXPECT_EQ(in.event.block_reason, "chain_depth_limit");
    ASSERT_EQ(types_of(in.notices), (types{"chain_depth_exceeded"}));
    EXPECT_EQ(
        in.notices[0].data.str(),
        R"({"channel":"helper","caused_by":"trigger","cascade":"root","chain_depth":5,)"
        R"("max_chain_depth":5})"
    );
}

// The limit can be lowered to one, and no setting removes it: people still speak, replies do not
// follow.
// Proves: R11
TEST(ChainDepthGate, CannotBeSwitchedOff) {
    const scene room;
    for (const std::int32_t configured : {1, 0, -1}) {
        const room_limits within{configured};
        EXPECT_EQ(admit(room, reply_at(0), within).event.status, event_status::accepted);
        EXPECT_EQ(admit(room, reply_at(1), within).event.status, event_status::blocked);
    }
}

// An event that the cascade has no budget for is stored blocked; the last one it has budget for
// passes.
// Proves: R11, R19
TEST(CascadeBudgetGate, BlocksWhatIsBeyondTheBudget) {
    const scene room;
    EXPECT_EQ(admit(room, reply_at(1, 0)).event.status, event_status::accepted);

    const admitted in = admit(room, reply_at(1, -1));
    EXPECT_EQ(in.event.status, event_status::blocked);
    EXPECT_EQ(in.event.blocked_by, "cascade_budget");
    EXPECT_EQ(in.event.block_reason, "cascade_budget_exceeded");
    EXPECT_EQ(types_of(in.notices), (types{"cascade_budget_exceeded"}));
}

// An event beyond both limits is blocked once, for its depth.
// Proves: R11
TEST(CascadeBudgetGate, ComesAfterTheDepth) {
    const scene room;
    const admitted in = admit(room, reply_at(5, -1));
    EXPECT_EQ(in.event.block_reason, "chain_depth_limit");
    EXPECT_EQ(types_of(in.notices), (types{"chain_depth_exceeded"}));
}

}  // namespace
}  // namespace convene
