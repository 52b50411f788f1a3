// SPDX-License-Identifier: Apache-2.0
// What every store promises about routing: one room per sender, and never a closed one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class Routing : public conformance {
   protected:
    static ops::create_routed_room routed(const std::string& room, const std::string& sender) {
        return {make_room(room), {make_binding(room, "sms")}, {}, channel_id{"sms"}, sender};
    }

    std::optional<room_id> route_of(const std::string& sender) {
        return must(ops::find_route{acme(), channel_id{"sms"}, sender});
    }

    void set_status(const std::string& room, room_status status) {
        ops::update_room request = update_of(room);
        request.status = status;
        must(request);
    }
};

CONVENE_ON_EVERY_STORE(Routing);

// The first message of a sender makes a room and its route together.
// Proves: R6
TEST_P(Routing, MakesRoomAndRouteTogether) {
    EXPECT_EQ(route_of("+1"), std::nullopt);
    EXPECT_EQ(must(routed("r", "+1")), room_id{"r"});
    EXPECT_THAT(route_of("+1"), Optional(room_id{"r"}));
    EXPECT_EQ(get("r").status, room_status::active);
}

// Of two workers that see the first message together, the second is given the first one's room and
// makes none.
// Proves: R6
TEST_P(Routing, GivesTheLoserTheWinnersRoom) {
    must(routed("winner", "+1"));
    EXPECT_EQ(must(routed("loser", "+1")), room_id{"winner"});
    EXPECT_EQ(error_of(ops::get_room{acme(), room_id{"loser"}}), errc::not_found);
}

// A paused room is still the sender's room; a closed or archived one no longer is.
// Proves: R4, R6
TEST_P(Routing, FollowsOnlyOpenRooms) {
    must(routed("r", "+1"));
    set_status("r", room_status::paused);
    EXPECT_THAT(route_of("+1"), Optional(room_id{"r"}));
    set_status("r", room_status::closed);
    EXPECT_EQ(route_of("+1"), std::nullopt);
    set_status("r", room_status::archived);
    EXPECT_EQ(route_of("+1"), std::nullopt);
}

// The room made after the old one closed takes over the route, for good.
// Proves: R6
TEST_P(Routing, ReplacesTheRouteToAClosedRoom) {
    must(routed("old", "+1"));
    set_status("old", room_status::closed);
    EXPECT_EQ(must(routed("new", "+1")), room_id{"new"});
    set_status("old", room_status::active);
    EXPECT_THAT(route_of("+1"), Optional(room_id{"new"}));
    must(ops::delete_room{acme(), room_id{"old"}});
    EXPECT_THAT(route_of("+1"), Optional(room_id{"new"}));
}

// Sender, channel and organisation each tell routes apart.
// Proves: R6, X1
TEST_P(Routing, TellsSendersChannelsAndOrganizationsApart) {
    must(routed("r", "+1"));
    EXPECT_EQ(route_of("+2"), std::nullopt);
    EXPECT_EQ(must(ops::find_route{acme(), channel_id{"email"}, "+1"}), std::nullopt);
    const ops::find_route foreign{organization_id{"globex"}, channel_id{"sms"}, "+1"};
    EXPECT_EQ(must(foreign), std::nullopt);
}

// A room id that exists refuses the routed room, and no route is left.
// Proves: R6
TEST_P(Routing, IsRefusedForAnExistingRoom) {
    create("r");
    EXPECT_EQ(error_of(routed("r", "+1")), errc::already_exists);
    EXPECT_EQ(route_of("+1"), std::nullopt);
}

// Open rooms of a channel are found in the order of their ids, as many as are asked for.
// Proves: R6
TEST_P(Routing, FindsOpenRoomsOfAChannel) {
    for (const char* const id : {"c", "a", "b"}) {
        must(ops::create_room{make_room(id), {make_binding(id, "sms")}, {}});
    }
    must(ops::create_room{make_room("d"), {make_binding("d", "email")}, {}});
    EXPECT_THAT(
        must(ops::find_rooms_by_channel{acme(), channel_id{"sms"}}),
        ElementsAre(room_id{"a"}, room_id{"b"})
    );
    const organization_id globex{"globex"};
    EXPECT_THAT(must(ops::find_rooms_by_channel{globex, channel_id{"sms"}}), IsEmpty());
}

// Closing, reopening, binding and unbinding decide at once whether a room is found by its channel.
// Proves: R6
TEST_P(Routing, FollowsStatusAndBindings) {
    create("r");
    const ops::find_rooms_by_channel by_channel{acme(), channel_id{"sms"}};
    EXPECT_THAT(must(by_channel), IsEmpty());
    must(ops::put_binding{acme(), make_binding("r", "sms")});
    EXPECT_THAT(must(by_channel), ElementsAre(room_id{"r"}));
    set_status("r", room_status::closed);
    EXPECT_THAT(must(by_channel), IsEmpty());
    set_status("r", room_status::paused);
    EXPECT_THAT(must(by_channel), ElementsAre(room_id{"r"}));
    must(ops::remove_binding{acme(), room_id{"r"}, channel_id{"sms"}});
    EXPECT_THAT(must(by_channel), IsEmpty());
}

// A channel that is bound while its room is closed is found once the room is open again.
// Proves: R6
TEST_P(Routing, FindsAChannelBoundWhileClosed) {
    create("r");
    set_status("r", room_status::closed);
    must(ops::put_binding{acme(), make_binding("r", "sms")});
    const ops::find_rooms_by_channel by_channel{acme(), channel_id{"sms"}};
    EXPECT_THAT(must(by_channel), IsEmpty());
    set_status("r", room_status::active);
    EXPECT_THAT(must(by_channel), ElementsAre(room_id{"r"}));
}

}  // namespace

}  // namespace convene
