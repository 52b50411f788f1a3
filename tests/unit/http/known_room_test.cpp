// SPDX-License-Identifier: Apache-2.0
// Sending into a room as this worker knows it (decision 0012): what it saves, and that nobody gets through by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::SizeIs;

class KnownRoom : public testing::Test {
   protected:
    KnownRoom() {
        scene_.make_room();
        EXPECT_EQ(scene_.say("first").status, 201);
    }

    /// What another worker stores: this one is not told.
    template <class Op>
    void elsewhere(Op change) {
        static_cast<void>(scene_.ask(std::move(change)));
    }

    [[nodiscard]] participant bob_as(participant_status status) {
        ops::load_room_context request{organization_id{"acme"}, room_id{"r"}};
        participant bob = *scene_.ask(request).find_participant(participant_id{"bob"});
        bob.status = status;
        return bob;
    }

    http_scene scene_;
};

// A room that was sent into lately is not read again before the next message.
// Proves: R10
TEST_F(KnownRoom, IsNotReadForEachMessage) {
    scene_.store.counts.clear();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(scene_.say("more").status, 201);
    }
    EXPECT_EQ(scene_.store.counts["load_room_context"], 0);
    EXPECT_EQ(scene_.store.counts["load_room_head"], 5);
}

// Who was removed a moment ago, through another worker, does not get a message in.
// Proves: R10, X1
TEST_F(KnownRoom, LetsNobodyInWhoWasRemovedElsewhere) {
    ASSERT_EQ(scene_.say("hi", "bob").status, 201);
    elsewhere(ops::put_participant{organization_id{"acme"}, bob_as(participant_status::left)});
    const seen_reply refused = scene_.say("still here?", "bob");
    EXPECT_EQ(refused.status, 404) << refused.body;
    EXPECT_THAT(scene_.timeline_of("acme"), SizeIs(2));
    EXPECT_EQ(scene_.say("he has gone").status, 201);
}

// Who was let in a moment ago is not refused for what this worker knew.
// Proves: R10, X1
TEST_F(KnownRoom, LetsInWhoWasAddedElsewhere) {
    elsewhere(ops::put_participant{organization_id{"acme"}, bob_as(participant_status::left)});
    ASSERT_EQ(scene_.say("one").status, 201);
    ASSERT_EQ(scene_.say("not yet", "bob").status, 404);
    elsewhere(ops::put_participant{organization_id{"acme"}, bob_as(participant_status::active)});
    EXPECT_EQ(scene_.say("back", "bob").status, 201);
}

// A change that has nothing to do with the sender costs one more look, and the message is stored.
// Proves: R10
TEST_F(KnownRoom, IsLookedAtAgainWhenItHasChanged) {
    elsewhere(ops::put_participant{organization_id{"acme"}, bob_as(participant_status::left)});
    scene_.store.counts.clear();
    EXPECT_EQ(scene_.say("second").status, 201);
    EXPECT_GE(scene_.store.counts["load_room_context"], 1);
    EXPECT_THAT(scene_.timeline_of("acme"), SizeIs(2));
}

// Another organisation's room is unknown, however well this worker knows it.
// Proves: X1
TEST_F(KnownRoom, IsUnknownToOtherOrganizations) {
    EXPECT_EQ(scene_.say("hello", "eve").status, 404);
}

}  // namespace
}  // namespace convene
