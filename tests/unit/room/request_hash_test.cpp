// SPDX-License-Identifier: Apache-2.0
// The request hash: what makes two requests the same, and what does not.
#include "room/request_hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "scene.hpp"

namespace convene {
namespace {

// The hash is stored with its key, so no version may compute it in another way: it is the SHA-256
// of
// ["message",{"type":"text","body":"hello"},"web","bob","","",null,"all",null,{}]
// Proves: R8
TEST(RequestHash, IsFrozen) {
    EXPECT_EQ(
        request_hash(said_by_bob("event")),
        "0a88fb922df9fe570a7c5f7ec381c80f2fdec9efe953054a4a908e2c64a64983"
    );
}

// Everything the sender asked for counts.
// Proves: R8
TEST(RequestHash, DependsOnWhatWasAskedFor) {
    const std::vector<std::function<void(room_event&)>> differences{
        [](room_event& e) { e.type = event_type::reaction; },
        [](room_event& e) { e.content = content::text("else"); },
        [](room_event& e) { e.source.channel = channel_id{"sms"}; },
        [](room_event& e) { e.source.participant = participant_id{"ann"}; },
        [](room_event& e) { e.source.external_id = "+49"; },
        [](room_event& e) { e.parent = event_id{"root"}; },
        [](room_event& e) { e.addressed_to = list_of({}); },
        [](room_event& e) { e.addressed_to = list_of({"helper"}); },
        [](room_event& e) { e.visibility = visibility{visibility::scope::none}; },
        [](room_event& e) { e.response_visibility = visibility{}; },
        [](room_event& e) { e.metadata = json_text::trusted(R"({"a":1})"); },
    };
    std::vector<std::string> hashes{request_hash(said_by_bob("event"))};
    for (const auto& change : differences) {
        room_event other = said_by_bob("event");
        change(other);
        const std::string hash = request_hash(other);
        EXPECT_EQ(std::ranges::count(hashes, hash), 0);
        hashes.push_back(hash);
    }
}

// What the room adds does not count: a repeat has another id, another time and another trace.
// Proves: R8
TEST(RequestHash, IgnoresWhatTheRoomAdds) {
    room_event repeat = said_by_bob("another");
    repeat.room = room_id{"elsewhere"};
    repeat.index = event_index{9};
    repeat.idempotency_key = "key";
    repeat.correlation_id = "correlation";
    repeat.created_at = wall_time{microseconds{5}};
    repeat.plan.budget = 50;
    repeat.plan.trace_parent = "00-1-1-01";
    EXPECT_EQ(request_hash(repeat), request_hash(said_by_bob("event")));
}

// Neighbouring parts can't be shifted into each other.
// Proves: R8
TEST(RequestHash, KeepsPartsApart) {
    room_event one = said_by_bob("event");
    one.source.participant = participant_id{"ab"};
    one.source.external_id = "c";
    room_event two = said_by_bob("event");
    two.source.participant = participant_id{"a"};
    two.source.external_id = "bc";
    EXPECT_NE(request_hash(one), request_hash(two));
}

}  // namespace
}  // namespace convene
