// SPDX-License-Identifier: Apache-2.0
// Senders whose events another worker delivers: what they are told, when, and what their waiting costs the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/kit_scene.hpp"

namespace convene {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

const room_id the_room{"r"};

/// One worker delivers the room, whose first event takes it some time; the senders are at the other one.
class Waiting : public testing::Test {
   protected:
    using answer = std::optional<result<send_receipt>>;

    Waiting() { delivers_.phone = patient_phone(); }

    ~Waiting() override { writes_.loop.run(senders_.join()); }

    /// Both workers run, and the first event is on its way.
    void open() {
        delivers_.add(delivers_pager_);
        delivers_.open();
        EXPECT_TRUE(delivers_.send(kit_scene::says("first"), wait_for::committed));
        delivers_.loop.run_ready();
        writes_.bell.connected = true;
        writes_.add(writes_pager_);
        writes_.reopen();
    }

    /// `many` begin to wait, each with a message of its own, in this order.
    void start_senders(std::size_t many) {
        answers_.resize(many);
        for (std::size_t i = 0; i < many; ++i) {
            writes_.start_send(senders_, kit_scene::says(std::to_string(i)), answers_[i]);
        }
        pass(milliseconds{1});
    }

    /// Time passes for both, and what one tells the other arrives.
    void pass(milliseconds span) {
        for (milliseconds gone{0}; gone < span; ++gone) {
            if (!std::exchange(writes_.bell.rung, {}).empty()) {
                delivers_.kit->answer_bell(organization_id{}, the_room);
            }
            delivers_.loop.advance(milliseconds{1});
            writes_.loop.advance(milliseconds{1});
        }
    }

    [[nodiscard]] std::ptrdiff_t count_answered() const {
        return std::ranges::count_if(answers_, [](const answer& one) { return one.has_value(); });
    }

    [[nodiscard]] static std::vector<std::pair<std::string, delivery_state>> targets_of(
        const answer& told
    ) {
        std::vector<std::pair<std::string, delivery_state>> targets;
        for (const target_result& one : (*told)->targets) {
            targets.emplace_back(one.channel.str(), one.state);
        }
        return targets;
    }

    [[nodiscard]] int looks() { return writes_.store.counts["get_cursor"]; }

    [[nodiscard]] int row_reads() { return writes_.store.counts["list_deliveries"]; }

    [[nodiscard]] static std::shared_ptr<scripted_channel> patient_phone() {
        scripted_channel_settings patient;
        patient.attempt_deadline = seconds{60};
        return std::make_shared<scripted_channel>(channel_id{"phone"}, patient);
    }

    const std::shared_ptr<shared_world> world_ = std::make_shared<shared_world>();
    std::shared_ptr<scripted_channel> delivers_pager_ = std::make_shared<scripted_channel>(
        channel_id{"pager"}
    );
    std::shared_ptr<scripted_channel> writes_pager_ = std::make_shared<scripted_channel>(
        channel_id{"pager"}
    );
    kit_scene delivers_{world_, {}};
    kit_scene writes_{world_, {}};
    std::vector<answer> answers_;
    task_scope senders_{writes_.loop};
};

// What one sender is told is what became of its own event: delivered, failed, or in part.
// Proves: D10
TEST_F(Waiting, EachIsToldOfItsOwnEvent) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{1}))
        .then(scripted_attempt::sends_after(milliseconds{50}))
        .then(scripted_attempt::fails_for_good())
        .then(scripted_attempt::sends_after(milliseconds{50}));
    delivers_pager_->then(scripted_attempt::sends())
        .then(scripted_attempt::sends())
        .then(scripted_attempt::fails_for_good())
        .then(scripted_attempt::fails_for_good());
    open();
    start_senders(3);
    pass(milliseconds{1040});
    EXPECT_EQ(count_answered(), 0);
    pass(milliseconds{500});
    ASSERT_EQ(count_answered(), 3);

    using enum delivery_state;
    EXPECT_THAT(
        targets_of(answers_[0]), UnorderedElementsAre(Pair("phone", done), Pair("pager", done))
    );
    EXPECT_THAT(
        targets_of(answers_[1]), UnorderedElementsAre(Pair("phone", failed), Pair("pager", failed))
    );
    EXPECT_THAT(
        targets_of(answers_[2]), UnorderedElementsAre(Pair("phone", done), Pair("pager", failed))
    );
    for (std::size_t i = 0; i < answers_.size(); ++i) {
        EXPECT_EQ((*answers_[i])->progress, delivery_progress::delivered);
        EXPECT_EQ((*answers_[i])->event.content, content::text(std::to_string(i)));
        EXPECT_EQ((*answers_[i])->event.committed_by, writes_.kit->incarnation());
    }
}

// However many wait in a room, a look is one read; what became of its event each reads once.
// Proves: D10
TEST_F(Waiting, OneReadLooksForAll) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{1}));
    open();
    start_senders(20);
    pass(milliseconds{900});
    EXPECT_LE(looks(), 10);
    EXPECT_EQ(row_reads(), 0) << "there is nothing to see before their turn";
    pass(milliseconds{400});
    EXPECT_EQ(count_answered(), 20);
    EXPECT_LE(looks(), 15);
    EXPECT_EQ(row_reads(), 20);
}

// In a room that is on the move each is told some milliseconds after its delivery, not when the slowest look comes.
// Proves: D10
TEST_F(Waiting, ABusyRoomTellsSoon) {
    delivers_.phone->then(scripted_attempt::sends_after(milliseconds{50}))
        .otherwise(scripted_attempt::sends_after(milliseconds{5}));
    open();
    start_senders(16);
    milliseconds latest{0};
    std::vector<milliseconds> late(answers_.size());
    for (int step = 0; step < 400; ++step) {
        pass(milliseconds{1});
        const std::int64_t delivered = delivers_.stored_room().delivered_index.value();
        for (std::size_t i = 0; i < answers_.size(); ++i) {
            const bool is_late = delivered > static_cast<std::int64_t>(i) && !answers_[i];
            late[i] += milliseconds{is_late ? 1 : 0};
            latest = std::max(latest, late[i]);
        }
    }
    EXPECT_EQ(count_answered(), 16);
    EXPECT_LE(latest, milliseconds{20});
    EXPECT_LE(looks() + row_reads(), 2 * 16) << "reads a message";
}

// A delivery that takes long is looked at seldom, and its sender is told all the same.
// Proves: D10
TEST_F(Waiting, ALongDeliveryCostsFewLooks) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{10}));
    open();
    start_senders(5);
    pass(milliseconds{9900});
    EXPECT_LE(looks(), 60);
    EXPECT_EQ(row_reads(), 0);
    pass(milliseconds{400});
    EXPECT_EQ(count_answered(), 5);
}

// Nobody waits longer than a caller may; then they are told how far it has come, and nobody looks any more.
// Proves: D10
TEST_F(Waiting, EndsAtTheDeadline) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{40}));
    open();
    start_senders(2);
    pass(milliseconds{29'900});
    EXPECT_EQ(count_answered(), 0);
    pass(milliseconds{200});
    ASSERT_EQ(count_answered(), 2);
    for (const answer& told : answers_) {
        EXPECT_EQ((*told)->progress, delivery_progress::delivering);
        EXPECT_THAT(
            targets_of(told),
            UnorderedElementsAre(
                Pair("phone", delivery_state::pending), Pair("pager", delivery_state::pending)
            )
        );
    }
    pass(seconds{1});
    const int looked = looks();
    pass(seconds{5});
    EXPECT_EQ(looks(), looked);
}

// A caller that goes away takes nobody with it; when the last one has gone, nobody looks.
// Proves: D10
TEST_F(Waiting, ACallerThatGoesLeavesTheOthersWaiting) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{2}))
        .then(scripted_attempt::sends())
        .then(scripted_attempt::sends_after(seconds{20}));
    open();
    task_scope going{writes_.loop};
    answer gone;
    writes_.start_send(going, kit_scene::says("goes"), gone);
    start_senders(2);
    pass(milliseconds{500});
    going.request_stop();
    writes_.loop.run(going.join());
    ASSERT_TRUE(gone && *gone) << "its event is stored";
    EXPECT_EQ((*gone)->progress, delivery_progress::delivering);
    EXPECT_EQ(count_answered(), 0);

    pass(seconds{2});
    EXPECT_EQ(count_answered(), 0) << "behind the event whose sender has gone";
    pass(seconds{21});
    EXPECT_EQ(count_answered(), 2);
    const int looked = looks();
    pass(seconds{5});
    EXPECT_EQ(looks(), looked);
}

// A worker that goes away lets its callers ask another, and does not wait for deliveries that are not its own.
// Proves: D10, D15
TEST_F(Waiting, EndsWithTheWorker) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{20}));
    open();
    start_senders(3);
    pass(seconds{1});
    const monotonic_time asked_at = writes_.loop.now();
    writes_.loop.run(writes_.kit->close());
    writes_.loop.run(senders_.join());
    EXPECT_LE(writes_.loop.now() - asked_at, milliseconds{100});
    ASSERT_EQ(count_answered(), 3);
    for (const answer& told : answers_) {
        ASSERT_TRUE(*told) << "what was committed is answered";
        EXPECT_EQ((*told)->progress, delivery_progress::delivering);
    }
}

// A worker dies with its callers: nothing of either is left.
// Proves: D7
TEST_F(Waiting, DiesWithTheWorker) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{1}));
    open();
    kit_scene dies{world_, {}};
    dies.bell.connected = true;
    dies.reopen();
    answer never;
    task_scope senders{dies.loop};
    dies.start_send(senders, kit_scene::says("m"), never);
    dies.loop.advance(milliseconds{100});
    EXPECT_GT(dies.store.counts["get_cursor"], 0);
    dies.crash();
    EXPECT_FALSE(never);
}

// The room is gone: there is no delivery to wait for.
// Proves: D10
TEST_F(Waiting, EndsWithTheRoom) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{20}));
    open();
    start_senders(2);
    pass(milliseconds{100});
    delivers_.ask(ops::delete_room{organization_id{}, the_room});
    pass(milliseconds{200});
    EXPECT_EQ(count_answered(), 2);
}

// A request that is repeated before its event is delivered waits in the same way.
// Proves: D10
TEST_F(Waiting, RepeatsWaitAlike) {
    delivers_.phone->then(scripted_attempt::sends_after(seconds{1}));
    open();
    answers_.resize(5);
    for (answer& one : answers_) {
        writes_.start_send(senders_, kit_scene::says("m", "key"), one);
        pass(milliseconds{1});
    }
    EXPECT_EQ(row_reads(), 4) << "of a repeat it is not known whether it was delivered long ago";
    pass(milliseconds{900});
    EXPECT_LE(looks(), 10);
    EXPECT_EQ(row_reads(), 4);
    pass(milliseconds{400});
    ASSERT_EQ(count_answered(), 5);
    for (const answer& told : answers_) {
        EXPECT_EQ((*told)->progress, delivery_progress::delivered);
        EXPECT_EQ((*told)->event.id, (*answers_[0])->event.id);
    }
}

}  // namespace
}  // namespace convene
