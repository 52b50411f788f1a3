// SPDX-License-Identifier: Apache-2.0
// Who is there.
#include "live/presence_board.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/manual_loop.hpp"
#include "support/manual_wall_clock.hpp"

namespace convene {
namespace {

const organization_id acme{"acme"};
const room_id kitchen{"kitchen"};

class PresenceBoard : public testing::Test {
   protected:
    /// What the room was told since the last call: `ann online`.
    std::vector<std::string> told() {
        std::vector<std::string> all;
        for (;;) {
            const auto event = loop_.run(watcher_->next(deadline{loop_.now()}));
            if (!event) {
                return all;
            }
            const bool is_online = event->data.str().find("online") != std::string::npos;
            all.push_back(event->participant.str() + (is_online ? " online" : " offline"));
        }
    }

    manual_loop loop_;
    manual_wall_clock clock_;
    std::unique_ptr<realtime_backend> realtime_ = make_in_memory_realtime();
    presence_board board_{*realtime_, clock_};
    std::unique_ptr<realtime_subscription> watcher_ = realtime_->subscribe(acme, kitchen);
};

// The first connection of a person is their coming, the last one their going; the ones between are nobody's news.
// Proves: V3
TEST_F(PresenceBoard, TellsTheFirstAndTheLastConnection) {
    auto tab = board_.enter(acme, kitchen, participant_id{"ann"});
    auto phone = board_.enter(acme, kitchen, participant_id{"ann"});
    EXPECT_EQ(told(), std::vector<std::string>{"ann online"});
    tab.reset();
    EXPECT_TRUE(told().empty());
    phone.reset();
    EXPECT_EQ(told(), std::vector<std::string>{"ann offline"});
}

// Whoever comes later learns who is there already, in this room only.
// Proves: V3
TEST_F(PresenceBoard, ListsWhoIsThere) {
    const auto bob = board_.enter(acme, kitchen, participant_id{"bob"});
    const auto ann = board_.enter(acme, kitchen, participant_id{"ann"});
    const auto eve = board_.enter(acme, room_id{"cellar"}, participant_id{"eve"});
    const std::vector<participant_id> expected{participant_id{"ann"}, participant_id{"bob"}};
    EXPECT_EQ(board_.present(acme, kitchen), expected);
    EXPECT_TRUE(board_.present(organization_id{"other"}, kitchen).empty());
}

}  // namespace
}  // namespace convene
