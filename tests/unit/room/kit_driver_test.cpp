// SPDX-License-Identifier: Apache-2.0
// The way of a session's driver into its room: its epoch and its state go with the event, and it alone fails for them.
#include <gtest/gtest.h>

#include "store/operations/sessions.hpp"
#include "support/kit_scene.hpp"

namespace convene {
namespace {

using receipts = std::vector<result<send_receipt>>;

class KitDriver : public testing::Test {
   protected:
    KitDriver() {
        scene_.open();
        scene_.ask(ops::open_session{{}, room_id{"r"}, channel_id{"agent"}, "ann"});
        epoch_ = begin("run");
    }

    std::int64_t begin(std::string run) {
        ops::begin_run begun;
        begun.run.id = run_id{std::move(run)};
        begun.run.room = room_id{"r"};
        return scene_.ask(begun).session.driver_epoch;
    }

    [[nodiscard]] ops::get_session::answer session() {
        return scene_.ask(ops::get_session{{}, room_id{"r"}});
    }

    [[nodiscard]] driver_append changing(std::string_view key) const {
        driver_append append;
        append.epoch = epoch_;
        append.session_state = json_text::trusted("{\"" + std::string{key} + "\":1}");
        return append;
    }

    static awaitable<void> append(
        room_kit* kit, outgoing_event sent, driver_append with, receipts* into
    ) {
        auto receipt = co_await kit->append_for_session(std::move(sent), std::move(with));
        into->push_back(std::move(receipt));
    }

    static awaitable<void> send(room_kit* kit, outgoing_event sent, receipts* into) {
        auto receipt = co_await kit->send_event(std::move(sent), wait_for::committed);
        into->push_back(std::move(receipt));
    }

    kit_scene scene_;
    std::int64_t epoch_ = 0;
};

// An append stores event, sequence, state and the use of the turn's input together.
// Proves: A4, N3
TEST_F(KitDriver, AppendsWithItsState) {
    session_turn turn;
    turn.id = turn_id{"t"};
    turn.room = room_id{"r"};
    turn.input = json_text::trusted(R"({"say":"hi"})");
    scene_.ask(ops::queue_turn{turn});
    ops::begin_run claimed;
    claimed.run.id = run_id{"of-turn"};
    claimed.run.room = room_id{"r"};
    claimed.run.turn = turn.id;
    epoch_ = scene_.ask(claimed).session.driver_epoch;

    driver_append with = changing("s");
    with.user_state = json_text::trusted(R"({"u":1})");
    with.app_state = json_text::trusted(R"({"a":1})");
    with.turn = "t";
    receipts got;
    scene_.loop.run(append(scene_.kit.get(), kit_scene::says("hello"), with, &got));
    ASSERT_TRUE(got.at(0)) << got.at(0).error();
    EXPECT_EQ(got[0]->progress, delivery_progress::committed);
    EXPECT_EQ(scene_.timeline().size(), 1U);
    EXPECT_EQ(session().session.sequence, 1);
    EXPECT_EQ(session().state.session.str(), R"({"s":1})");
    EXPECT_EQ(session().state.user.str(), R"({"u":1})");
    EXPECT_EQ(session().state.app.str(), R"({"a":1})");
    EXPECT_TRUE(scene_.ask(ops::list_turns{{}, room_id{"r"}, {}, 50}).at(0).is_input_consumed);
}

// A driver that was fenced is told at once and for good; what shares its batch is stored.
// Proves: A4, L7
TEST_F(KitDriver, FailsAloneWhenItIsFenced) {
    const driver_append late = changing("late");
    epoch_ = begin("newer");
    receipts fenced;
    receipts good;
    const int commits = scene_.store.counts["commit"];
    {
        task_scope scope{scene_.loop};
        room_kit* const kit = scene_.kit.get();
        scope.spawn("good", append(kit, kit_scene::says("good"), changing("good"), &good));
        scope.spawn("late", append(kit, kit_scene::says("late"), late, &fenced));
        scope.spawn("person", send(kit, kit_scene::says("person"), &good));
        scene_.loop.run(scope.join());
    }
    ASSERT_EQ(fenced.size(), 1U);
    EXPECT_EQ(fenced[0].error(), errc::driver_fenced);
    ASSERT_EQ(good.size(), 2U);
    EXPECT_TRUE(good[0] && good[1]);
    EXPECT_EQ(scene_.store.counts["commit"], commits + 4) << "all together, then each alone, once";
    EXPECT_EQ(scene_.timeline().size(), 2U);
    EXPECT_EQ(session().session.sequence, 1);
    EXPECT_EQ(session().state.session.str(), R"({"good":1})");
}

// A repeated key is the event that is stored, and changes no state a second time.
// Proves: R8, A4
TEST_F(KitDriver, RepeatsNothing) {
    receipts got;
    for (int i = 0; i < 2; ++i) {
        scene_.loop.run(append(scene_.kit.get(), kit_scene::says("hello", "k"), changing("s"), &got)
        );
    }
    ASSERT_TRUE(got.at(0) && got.at(1));
    EXPECT_TRUE(got[1]->is_replay);
    EXPECT_EQ(got[1]->event.id, got[0]->event.id);
    EXPECT_EQ(session().session.sequence, 1);
}

// A delta that is no object fails alone, too.
// Proves: A4
TEST_F(KitDriver, IsRefusedWhatIsNoState) {
    driver_append broken = changing("x");
    broken.app_state = json_text::trusted("[1]");
    receipts got;
    scene_.loop.run(append(scene_.kit.get(), kit_scene::says("hello"), broken, &got));
    EXPECT_EQ(got.at(0).error(), errc::invalid_argument);
    EXPECT_TRUE(scene_.timeline().empty());
    EXPECT_EQ(session().session.sequence, 0);
}

}  // namespace
}  // namespace convene
