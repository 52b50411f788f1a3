// SPDX-License-Identifier: Apache-2.0
// Live tails of a room: order, gaps, resumption, what a reader may see, and losing access.
#include "live/room_tails.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "room/permissions.hpp"
#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using lines = std::vector<std::string>;

awaitable<result<bool>> answer(bool may_read) { co_return may_read; }

awaitable<result<std::vector<room_event>>> give_back(std::vector<room_event> events) {
    co_return events;
}

/// Looks at the room as the phone does.
class phone_view final : public tail_view {
   public:
    explicit phone_view(const bool* may_read) : may_read_(*may_read) {
        phone_.channel = channel_id{"phone"};
    }

    [[nodiscard]] awaitable<result<bool>> may_read(std::shared_ptr<const room_context>) override {
        return answer(may_read_);
    }

    [[nodiscard]] bool may_see(const room_context& around, const room_event& event) const override {
        return is_visible_to(around, event, phone_);
    }

    [[nodiscard]] awaitable<result<std::vector<room_event>>> show(
        std::shared_ptr<const room_context> around, std::vector<room_event> events
    ) override {
        return give_back(visible_history(*around, phone_, std::move(events)));
    }

   private:
    const bool& may_read_;
    binding phone_;
};

/// `12 hello`, `hole 3`, `erased ID`, `resync 0 REASON`, `end REASON`.
struct spell {
    std::string operator()(const std::shared_ptr<const tail_event>& one) const {
        return std::to_string(one->event.index.value()) + ' ' + readable_text(one->event.content);
    }

    std::string operator()(const tail_hole& hole) const {
        return "hole " + std::to_string(hole.index.value());
    }

    std::string operator()(const tail_erased& erased) const {
        return "erased " + erased.event.str();
    }

    std::string operator()(const tail_resync& resync) const {
        return "resync " + std::to_string(resync.from.value()) + ' ' + resync.reason;
    }

    std::string operator()(const tail_end& end) const { return "end " + end.reason; }
};

class RoomTails : public testing::Test {
   protected:
    RoomTails() {
        scene_.open();
        scene_.commits.to = &tails_;
    }

    ~RoomTails() override { scene_.commits.to = nullptr; }

    RoomTails(const RoomTails&) = delete;
    RoomTails& operator=(const RoomTails&) = delete;

    event_id say(std::string text) {
        const auto sent = scene_.send(kit_scene::says(std::move(text)), wait_for::committed);
        EXPECT_TRUE(sent);
        return sent->event.id;
    }

    [[nodiscard]] tail_request request(std::optional<std::int64_t> after = std::nullopt) {
        tail_request wanted;
        wanted.room = room_id{"r"};
        if (after) {
            wanted.after = tail_position{0, event_index{*after}};
        }
        wanted.view = std::make_unique<phone_view>(&may_read_);
        return wanted;
    }

    std::unique_ptr<tail_reader> open(std::optional<std::int64_t> after = std::nullopt) {
        auto opened = scene_.loop.run(tails_.open(request(after)));
        EXPECT_TRUE(opened);
        return std::move(*opened);
    }

    /// All there is by now.
    lines read(tail_reader& from) {
        lines all;
        for (;;) {
            const auto page = scene_.loop.run(from.next(deadline{scene_.loop.now()}));
            EXPECT_TRUE(page);
            if (!page || page->items.empty()) {
                return all;
            }
            for (const tail_item& item : page->items) {
                all.push_back(std::visit(spell{}, item));
            }
        }
    }

    kit_scene scene_;
    bool may_read_ = true;
    room_tails tails_{scene_.loop, scene_.store, {4, 3, seconds{2}}};
};

// Without a position a reader gets what comes from now on, once, in order.
// Proves: R18
TEST_F(RoomTails, FollowsFromNowOn) {
    say("before");
    const auto reader = open();
    EXPECT_EQ(read(*reader), lines{});
    say("one");
    say("two");
    EXPECT_EQ(read(*reader), (lines{"1 one", "2 two"}));
    EXPECT_EQ(read(*reader), lines{});
    EXPECT_EQ(reader->position().text(), "2");
}

// A waiting reader is woken by a commit, not by a poll.
// Proves: R18
TEST_F(RoomTails, WakesAWaitingReader) {
    const auto reader = open();
    task_scope scope{scene_.loop};
    std::optional<result<tail_page>> got;
    auto wait = [](tail_reader* from, std::optional<result<tail_page>>* into) -> awaitable<void> {
        auto page = co_await from->next(deadline::never());
        into->emplace(std::move(page));
    };
    scope.spawn("reader", wait(reader.get(), &got));
    scene_.loop.run_ready();
    EXPECT_FALSE(got);
    say("hello");
    scene_.loop.run_ready();
    ASSERT_TRUE(got && *got);
    EXPECT_EQ((*got)->items.size(), 1U);
    scene_.loop.run(scope.join());
}

// A reader resumes behind its position, whether what it missed is still at hand or only in the store.
// Proves: R18
TEST_F(RoomTails, ResumesFromAnyPosition) {
    lines expected;
    for (int i = 0; i < 10; ++i) {
        say("m" + std::to_string(i));
        expected.push_back(std::to_string(i) + " m" + std::to_string(i));
    }
    const auto watcher = open();
    for (int i = 10; i < 20; ++i) {
        say("m" + std::to_string(i));
        expected.push_back(std::to_string(i) + " m" + std::to_string(i));
    }
    for (std::int64_t after = -1; after < 20; ++after) {
        const auto reader = open(after);
        EXPECT_EQ(read(*reader), lines(expected.begin() + after + 1, expected.end())) << after;
    }
}

// Events that somebody else committed are found, at the next look at the latest.
// Proves: R18
TEST_F(RoomTails, SeesWhatAnotherWorkerCommitted) {
    const auto reader = open();
    scene_.commits.to = nullptr;
    say("from elsewhere");
    EXPECT_EQ(read(*reader), lines{});
    scene_.loop.advance(seconds{2});
    EXPECT_EQ(read(*reader), lines{"0 from elsewhere"});
    scene_.commits.to = &tails_;
    say("from here");
    EXPECT_EQ(read(*reader), lines{"1 from here"});
}

// Told of a commit elsewhere, all readers of a room get it at once, for one read of the store.
// Proves: V6, R18
TEST_F(RoomTails, ReadsWhatItHearsOfOnceForAll) {
    std::vector<std::unique_ptr<tail_reader>> readers;
    for (int i = 0; i < 100; ++i) {
        readers.push_back(open());
    }
    scene_.commits.to = nullptr;
    say("one");
    say("two");
    scene_.store.counts.clear();
    scene_.loop.run(tails_.catch_up(room_id{"r"}));
    for (const auto& reader : readers) {
        EXPECT_EQ(read(*reader), (lines{"0 one", "1 two"}));
    }
    EXPECT_EQ(scene_.store.counts["list_events"], 1);
    EXPECT_EQ(scene_.store.counts["load_room_context"], 0);
}

// A commit that is answered late is told when others have looked at later events already: nothing is left out, whatever the
// order in which they become known. Seed of the chaos suite: a database that restarted under three workers.
// Proves: R18, V6
TEST_F(RoomTails, LeavesNothingOutWhenACommitIsToldLate) {
    say("zero");
    auto reader = open(-1);
    EXPECT_EQ(read(*reader), lines{"0 zero"});
    scene_.commits.to = nullptr;
    for (const char* const text : {"one", "two", "three"}) {
        say(text);
    }
    const std::vector<room_event> stored = scene_.timeline();
    const auto around = std::make_shared<const room_context>(
        *scene_.loop.run(scene_.kit->get_room(organization_id{}, room_id{"r"}))
    );
    // Somebody looked when all were there; then the first of them is told, and what comes next.
    auto looker = open(-1);
    scene_.loop.advance(seconds{3});
    EXPECT_EQ(read(*looker).size(), 4U);
    tails_.committed(around, {stored[1]});
    scene_.commits.to = &tails_;
    say("four");
    EXPECT_EQ(read(*reader), (lines{"1 one", "2 two", "3 three", "4 four"}));
    EXPECT_EQ(read(*looker), lines{"4 four"});
}

// Nobody reads a room for nobody, and more than is kept is left to the readers.
// Proves: V6
TEST_F(RoomTails, CatchesUpOnlyWhereSomebodyReads) {
    scene_.store.counts.clear();
    scene_.loop.run(tails_.catch_up(room_id{"r"}));
    EXPECT_EQ(scene_.store.counts["list_events"], 0);

    const auto reader = open();
    scene_.commits.to = nullptr;
    lines all;
    for (int i = 0; i < 9; ++i) {
        say("text");
        all.push_back(std::to_string(i) + " text");
    }
    scene_.loop.run(tails_.catch_up_all());
    EXPECT_EQ(read(*reader), all);
}

// A reader that comes from another worker may be ahead of what this one has seen: that is no reason to load again.
// Proves: V6, R18
TEST_F(RoomTails, TakesAPositionThatAnotherWorkerGave) {
    const auto first = open();
    scene_.commits.to = nullptr;
    say("from elsewhere");
    const auto moved = open(0);
    EXPECT_EQ(read(*moved), lines{});
    say("and more");
    scene_.loop.run(tails_.catch_up(room_id{"r"}));
    EXPECT_EQ(read(*moved), lines{"1 and more"});
    EXPECT_EQ(read(*first), (lines{"0 from elsewhere", "1 and more"}));
}

// What the reader may not see is passed over; its position goes on all the same.
// Proves: R10, R18
TEST_F(RoomTails, ShowsOnlyWhatTheReaderMaySee) {
    const auto reader = open();
    outgoing_event hidden = kit_scene::says("for agents");
    hidden.visible_to = visibility{visibility::scope::intelligence};
    ASSERT_TRUE(scene_.send(hidden));
    EXPECT_EQ(read(*reader), lines{});
    EXPECT_EQ(reader->position().text(), "0");
    say("for all");
    EXPECT_EQ(read(*reader), lines{"1 for all"});
    const auto late = open(-1);
    EXPECT_EQ(read(*late), lines{"1 for all"});
}

// A hard delete reaches those who watch as an erasure, and those who come later as a hole.
// Proves: R13, R18
TEST_F(RoomTails, TellsWhatWasErased) {
    say("a");
    const auto reader = open(-1);
    EXPECT_EQ(read(*reader), lines{"0 a"});
    const event_id doomed = say("b");
    say("c");
    EXPECT_EQ(read(*reader), (lines{"1 b", "2 c"}));
    ASSERT_TRUE(scene_.loop.run(scene_.kit->delete_event({}, room_id{"r"}, doomed)));
    EXPECT_EQ(read(*reader), lines{"erased " + doomed.str()});
    const auto late = open(-1);
    EXPECT_EQ(read(*late), (lines{"0 a", "hole 1", "2 c"}));
}

// The last events were deleted: a reader that comes by passes them all.
// Proves: R13, R18
TEST_F(RoomTails, PassesHolesAtTheEnd) {
    say("a");
    const event_id doomed = say("b");
    ASSERT_TRUE(scene_.loop.run(scene_.kit->delete_event({}, room_id{"r"}, doomed)));
    const auto reader = open(-1);
    EXPECT_EQ(read(*reader), (lines{"0 a", "hole 1"}));
    say("c");
    EXPECT_EQ(read(*reader), lines{"2 c"});
}

// A soft-deleted text is gone for a reader that catches up, also while newer events are at hand.
// Proves: R13, R18
TEST_F(RoomTails, ADeletedTextDoesNotComeBack) {
    const auto watcher = open();
    const event_id doomed = say("secret");
    outgoing_event remove = kit_scene::says("");
    remove.type = event_type::remove;
    remove.content = content::remove(doomed, delete_kind::sender);
    ASSERT_TRUE(scene_.send(remove, wait_for::committed));
    const auto late = open(-1);
    for (const std::string& line : read(*late)) {
        EXPECT_EQ(line.find("secret"), std::string::npos) << line;
    }
}

// A position that the room never had, or of a counting before a repair, is answered with where to load from.
// Proves: R18, S4
TEST_F(RoomTails, TellsToLoadAgainWhatCannotBeServed) {
    say("a");
    const auto ahead = open(7);
    EXPECT_EQ(read(*ahead), lines{"resync 0 position_unknown"});
    say("b");
    EXPECT_EQ(read(*ahead), lines{"1 b"});

    tail_request of_another_counting = request(0);
    of_another_counting.after->epoch = 4;
    auto opened = scene_.loop.run(tails_.open(std::move(of_another_counting)));
    ASSERT_TRUE(opened);
    EXPECT_EQ(read(**opened), lines{"resync 0 timeline_repaired"});
}

// Access that ends ends the stream within two seconds, and nothing is shown after that.
// Proves: R18
TEST_F(RoomTails, LosingAccessEndsTheTail) {
    const auto reader = open();
    say("seen");
    EXPECT_EQ(read(*reader), lines{"0 seen"});
    may_read_ = false;
    scene_.loop.advance(seconds{2});
    say("not seen");
    const auto page = scene_.loop.run(reader->next(deadline::never()));
    ASSERT_TRUE(page && page->items.size() == 1);
    EXPECT_EQ(std::visit(spell{}, page->items[0]), "end access_removed");
    EXPECT_EQ(read(*reader), lines{});
}

// A waiting reader notices it too, without any event.
// Proves: R18
TEST_F(RoomTails, LosingAccessEndsAWaitingTail) {
    const auto reader = open();
    may_read_ = false;
    const monotonic_time before = scene_.loop.now();
    const auto page = scene_.loop.run(reader->next(deadline::never()));
    ASSERT_TRUE(page && page->items.size() == 1);
    EXPECT_EQ(std::visit(spell{}, page->items[0]), "end access_removed");
    EXPECT_LE(scene_.loop.now() - before, seconds{2});
}

// A worker that goes away says so to those who wait, after what they had not read yet.
// Proves: R18, O3
TEST_F(RoomTails, DrainingEndsEveryTailAfterItsEvents) {
    const auto reader = open();
    say("last words");
    tails_.end_all();
    EXPECT_EQ(read(*reader), (lines{"0 last words", "end draining"}));
}

// No tail of a room that is not there or that the reader may not see; nothing is left watching.
// Proves: R18, X1
TEST_F(RoomTails, OpensOnlyWhatMayBeRead) {
    tail_request unknown = request();
    unknown.room = room_id{"nowhere"};
    EXPECT_EQ(scene_.loop.run(tails_.open(std::move(unknown))).error(), errc::not_found);
    may_read_ = false;
    EXPECT_EQ(scene_.loop.run(tails_.open(request())).error(), errc::not_authorized);
    EXPECT_EQ(tails_.readers(), 0U);
}

// Readers of one room share one look at it: a thousand cost the store no more than one.
// Proves: R18
TEST_F(RoomTails, ManyReadersCostOneLook) {
    std::vector<std::unique_ptr<tail_reader>> readers;
    for (int i = 0; i < 1000; ++i) {
        readers.push_back(open());
    }
    scene_.store.counts.clear();
    say("hello");
    scene_.loop.advance(seconds{3});
    for (const auto& reader : readers) {
        EXPECT_EQ(read(*reader), lines{"0 hello"});
    }
    EXPECT_LE(scene_.store.counts["load_room_context"], 2);
    EXPECT_EQ(scene_.store.counts["list_events"], 0);
}

}  // namespace
}  // namespace convene
