// SPDX-License-Identifier: Apache-2.0
// What a worker shows of its leases: the difference to what it has shown, half a second at a time.
#include "lease/lease_board.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {
namespace {

using namespace std::chrono_literals;

constexpr monotonic_time start{1h};

lease_name claim(const std::string& room) {
    return lease_name::delivery(organization_id{"acme"}, room_id{room});
}

shown_lease held(const std::string& room, monotonic_time since, std::size_t waiters = 0) {
    return {claim(room), true, since, waiters};
}

std::vector<std::string> names_of(const std::vector<shown_lease>& written) {
    std::vector<std::string> names;
    for (const shown_lease& one : written) {
        names.push_back(one.name.id());
    }
    return names;
}

using names = std::vector<std::string>;

// The first look begins from nothing, since a worker can't know what is there; after it only differences are told.
// Proves: L11
TEST(LeaseBoard, TellsOnlyWhatHasChanged) {
    lease_board board;
    const std::vector<shown_lease> held_now{held("a", start), held("b", start)};
    const lease_board::changes first = board.look(held_now, start + 1s);
    EXPECT_TRUE(first.starts_over);
    EXPECT_EQ(names_of(first.written), (names{"a", "b"}));

    const lease_board::changes same = board.look(held_now, start + 2s);
    EXPECT_TRUE(same.is_empty());

    const lease_board::changes next = board.look({held("a", start, 3)}, start + 3s);
    EXPECT_FALSE(next.starts_over);
    EXPECT_EQ(names_of(next.written), names{"a"});
    EXPECT_EQ(next.written.front().waiters, 3U);
    EXPECT_EQ(next.removed, std::vector{claim("b").key()});
}

// A lock that is held for the time of a commit is never shown, however often it is taken; one that is held, or waited
// for, for half a second is.
// Proves: L11
TEST(LeaseBoard, LeavesOutWhatIsShort) {
    lease_board board;
    EXPECT_FALSE(board.has_written());
    for (int i = 1; i < 10; ++i) {
        const monotonic_time now = start + i * 1s;
        const lease_board::changes found = board.look({held("a", now - 499ms)}, now);
        EXPECT_TRUE(found.written.empty());
        EXPECT_TRUE(found.removed.empty());
    }
    EXPECT_FALSE(board.has_written());
    const shown_lease waiting{claim("b"), false, start + 500ms, 1};
    EXPECT_EQ(names_of(board.look({waiting}, start + 1s).written), names{"b"});
    EXPECT_TRUE(board.has_written());
}

// A name that was given back and taken again in between is another holding: it is young again, and goes.
// Proves: L11
TEST(LeaseBoard, KnowsOneHoldingFromTheNext) {
    lease_board board;
    EXPECT_EQ(board.look({held("a", start)}, start + 1s).written.size(), 1U);
    EXPECT_EQ(board.look({held("a", start + 1400ms)}, start + 1500ms).removed.size(), 1U);
    EXPECT_EQ(board.look({held("a", start + 1400ms)}, start + 2s).written.size(), 1U);
    // Whoever has waited for it and holds it now is written again.
    const shown_lease waits{claim("b"), false, start, 1};
    EXPECT_EQ(board.look({waits}, start + 3s).written.size(), 1U);
    EXPECT_EQ(board.look({held("b", start)}, start + 4s).written.size(), 1U);
}

// What may not have been written, or is gone with a crash of the server, is all written again.
// Proves: L11
TEST(LeaseBoard, StartsOver) {
    lease_board board;
    EXPECT_EQ(board.look({held("a", start)}, start + 1s).written.size(), 1U);
    board.start_over();
    const lease_board::changes again = board.look({held("a", start)}, start + 2s);
    EXPECT_TRUE(again.starts_over);
    EXPECT_EQ(names_of(again.written), names{"a"});
    EXPECT_TRUE(again.removed.empty());
}

// However much happens, the next look is half a second later.
// Proves: L11
TEST(LeaseBoard, LooksTwiceASecond) {
    lease_board board;
    EXPECT_LE(board.next_look(), start);
    EXPECT_TRUE(board.look({}, start).starts_over);
    EXPECT_EQ(board.next_look(), start + 500ms);
}

// Of all boards one list is made: holders once, with the waiters of all workers; who only waits is no holder.
// Proves: L11
TEST(LeaseBoard, AllBoardsAreOneList) {
    const incarnation_id second{"second"};
    const incarnation_id third{"third"};
    const std::vector<worker_lease> here{{{claim("a"), lease_state::suspect, start, 1}, {}, {}}};
    const std::vector<shown_lease> shown_here{
        held("a", start, 1), {claim("b"), false, start, 2}, {claim("c"), false, start, 1}
    };
    const std::vector<board_line> others{
        {held("b", start + 1s, 1), second, "host2"},
        {{claim("a"), false, start, 4}, second, "host2"},
        {{claim("b"), false, start, 1}, third, "host3"},
    };
    const std::vector<worker_lease> all = leases_on(here, shown_here, others);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].lease.name, claim("a"));
    EXPECT_EQ(all[0].lease.state, lease_state::suspect);
    EXPECT_EQ(all[0].lease.waiters, 5U);
    EXPECT_EQ(all[1].lease.name, claim("b"));
    EXPECT_EQ(all[1].worker, second);
    EXPECT_EQ(all[1].host, "host2");
    EXPECT_EQ(all[1].lease.since, start + 1s);
    EXPECT_EQ(all[1].lease.waiters, 4U);
}

}  // namespace
}  // namespace convene
