// SPDX-License-Identifier: Apache-2.0
// What every store promises about what operators do by hand.
#include "store/operations/operating.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Operating : public conformance {
   protected:
    /// A room whose first two events were passed over: three channels' rows (one bound), an agent's, a hook's.
    void create_skipped() {
        register_worker(worker_one());
        create("r");
        batch_on events = batch("r");
        events.add(make_message("a")).deliver_to("sms").deliver_to("socket").deliver_to("bot");
        events.add(make_message("b")).deliver_to("sms").deliver_to("hook");
        for (delivery_row& row : events.commit().deliveries) {
            row.is_bound = row.channel == channel_id{"socket"};
            row.kind = row.channel == channel_id{"bot"}    ? target_kind::agent
                       : row.channel == channel_id{"hook"} ? target_kind::hook_after
                                                           : target_kind::channel;
        }
        must(events.take());
        ops::finish_set pass = step("r", claim("r").claim_epoch, 0);
        pass.advance_to = event_index{1};
        for (const char* const id : {"a", "b"}) {
            for (const delivery_row& row : rows_of("r", id)) {
                pass.results.push_back(outcome_of(row, delivery_state::skipped));
            }
        }
        delivery_skip& skip = pass.skip.emplace();
        skip.room = room_id{"r"};
        skip.from = event_index{0};
        skip.to = event_index{1};
        skip.events = {event_id{"a"}, event_id{"b"}};
        skip.reason = "poison";
        must(pass);
    }

    std::string states_of(const std::string& event) {
        std::string states;
        for (const char* const channel : {"sms", "socket", "bot", "hook"}) {
            for (const delivery_row& row : rows_of("r", event)) {
                if (row.channel == channel_id{channel}) {
                    states += std::string{channel} + ' ' + std::string{word_of(row.state)} + ' ';
                }
            }
        }
        return states;
    }
};

CONVENE_ON_EVERY_STORE(Operating);

// A replay queues what channels missed, in index order and under the same ids, opens answers and after-hooks again for
// whoever has the claim, and leaves what only a dead process could reach.
// Proves: D8
TEST_P(Operating, ASkipIsReplayed) {
    create_skipped();
    const auto done = must(ops::replay_skip{acme(), 1});
    EXPECT_FALSE(done.is_replayed_before);
    EXPECT_EQ(done.room, room_id{"r"});
    ASSERT_EQ(done.queued.size(), 2u);
    EXPECT_EQ(done.queued[0].event, event_id{"a"});
    EXPECT_EQ(done.queued[1].event, event_id{"b"});
    EXPECT_LT(done.queued[0].id, done.queued[1].id);
    EXPECT_EQ(done.reopened, 2);
    EXPECT_EQ(done.left, 1);
    EXPECT_EQ(states_of("a"), "sms deferred socket skipped bot pending ");
    EXPECT_EQ(states_of("b"), "sms deferred hook pending ");
    const auto due = must(ops::take_due_outbound{});
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0], done.queued[0]);
    for (const delivery_row& row : rows_of("r", "a")) {
        if (row.channel == channel_id{"sms"}) {
            EXPECT_EQ(row.id, due[0].delivery);
        }
        if (row.channel == channel_id{"bot"}) {
            EXPECT_TRUE(row.committed_by.empty());
            EXPECT_EQ(row.outcome, delivery_outcome{});
        }
    }
    EXPECT_EQ(cursor_of("r").delivered, event_index{1});
    const auto orphaned = must(ops::find_orphaned_rooms{});
    ASSERT_EQ(orphaned.size(), 1u);
    EXPECT_EQ(must(ops::adopt_rows{room_id{"r"}, worker_two(), event_index{1}}).size(), 2u);
}

// It happens once, also over a restart, and to nobody else's skip.
// Proves: D8, X1
TEST_P(Operating, ASkipIsReplayedOnce) {
    create_skipped();
    EXPECT_EQ(error_of(ops::replay_skip{organization_id{"globex"}, 1}), errc::not_found);
    EXPECT_EQ(error_of(ops::replay_skip{acme(), 2}), errc::not_found);
    must(ops::replay_skip{acme(), 1});
    harness().restart();
    EXPECT_TRUE(must(ops::list_skips{}).front().is_replayed);
    const auto again = must(ops::replay_skip{acme(), 1});
    EXPECT_TRUE(again.is_replayed_before);
    EXPECT_THAT(again.queued, IsEmpty());
    EXPECT_EQ(must(ops::take_due_outbound{}).size(), 1u);
}

// What was deleted since is not delivered after all.
// Proves: D8, R13
TEST_P(Operating, AReplayLeavesDeletedEvents) {
    create_skipped();
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}, true});
    const auto done = must(ops::replay_skip{acme(), 1});
    ASSERT_EQ(done.queued.size(), 1u);
    EXPECT_EQ(done.queued[0].event, event_id{"b"});
    EXPECT_EQ(done.reopened, 1);
    EXPECT_EQ(done.left, 3);
    EXPECT_EQ(states_of("b"), "sms deferred hook pending ");
}

// An identity changes where something is named; metadata key by key; only its own organisation's.
// Proves: X1
TEST_P(Operating, IdentitiesChange) {
    identity person;
    person.id = identity_id{"p"};
    person.organization = acme();
    person.display_name = "Ann";
    person.metadata = json_text::trusted(R"({"a":1,"b":2})");
    must(ops::create_identity{person});
    ops::update_identity change{acme(), person.id, std::nullopt, std::nullopt, {}};
    EXPECT_EQ(must(change).display_name, "Ann");
    change.display_name = "Anna";
    change.metadata_patch = json_text::trusted(R"({"b":3})");
    change.metadata_unset = {"a"};
    must(change);
    const identity read = must(ops::get_identity{acme(), person.id});
    EXPECT_EQ(read.display_name, "Anna");
    EXPECT_EQ(read.metadata.str(), R"({"b":3})");
    change.metadata_patch = json_text::trusted("[]");
    EXPECT_EQ(error_of(change), errc::invalid_argument);
    change.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(change), errc::not_found);
}

// A probe answers as long as the store does.
// Proves: O2
TEST_P(Operating, AProbeAnswers) {
    const auto closing = GetParam().open();
    const ops::probe_store probe;
    ASSERT_TRUE(closing->run(probe).has_value());
    closing->where().run_until_done(closing->store().close());
    EXPECT_EQ(closing->run(probe).error(), errc::unavailable);
}

}  // namespace

}  // namespace convene
