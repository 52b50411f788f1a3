// SPDX-License-Identifier: Apache-2.0
// What every store promises about the outbound queue: order within an address, retries by the
// store's clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Outbound : public conformance {
   protected:
    /// An item by itself, in front of an address.
    std::int64_t queue(const std::string& address, microseconds wait = 0us) {
        outbound_item item;
        item.room = room_id{"r"};
        item.channel = channel_id{"sms"};
        item.address = address;
        item.not_before = clock().now() + wait;
        return must(ops::put_outbound{item});
    }

    std::vector<std::int64_t> due(std::size_t limit = 64) {
        std::vector<std::int64_t> ids;
        for (const outbound_item& item : must(ops::take_due_outbound{limit})) {
            ids.push_back(item.id);
        }
        return ids;
    }

    bool retry(std::int64_t id, microseconds wait, std::int32_t seen_attempts = 0) {
        ops::finish_outbound later;
        later.id = id;
        later.retry_at = clock().now() + wait;
        later.seen_attempts = seen_attempts;
        later.result.attempts = seen_attempts + 1;
        later.result.outcome.error_message = "the line is busy";
        return must(later);
    }

    void finish(std::int64_t id) {
        ops::finish_outbound finished;
        finished.id = id;
        must(finished);
    }
};

CONVENE_ON_EVERY_STORE(Outbound);

// Only the first item of an address is handed out, and the next once it was handled.
// Proves: D12
TEST_P(Outbound, HandsOutTheHeadOfEachAddress) {
    const std::int64_t first = queue("+1");
    const std::int64_t second = queue("+1");
    const std::int64_t other = queue("+2");
    EXPECT_LT(first, second);
    EXPECT_THAT(due(), ElementsAre(first, other));
    EXPECT_THAT(due(1), ElementsAre(first));
    EXPECT_THAT(due(), ElementsAre(first, other)) << "taking is not finishing";
    finish(first);
    EXPECT_THAT(due(), ElementsAre(second, other));
}

// The same address on two channels is two addresses.
// Proves: D12
TEST_P(Outbound, TellsChannelsApart) {
    const std::int64_t sms = queue("+1");
    outbound_item call;
    call.room = room_id{"r"};
    call.channel = channel_id{"voice"};
    call.address = "+1";
    const std::int64_t voice = must(ops::put_outbound{call});
    EXPECT_THAT(due(), ElementsAre(sms, voice));
}

// An item waits for its time; the ones behind it wait with it, due or not.
// Proves: D12
TEST_P(Outbound, WaitsBehindTheHead) {
    const std::int64_t head = queue("+1", 60s);
    queue("+1");
    EXPECT_THAT(due(), IsEmpty());
    clock().advance(60s - 1us);
    EXPECT_THAT(due(), IsEmpty());
    clock().advance(1us);
    EXPECT_THAT(due(), ElementsAre(head));
}

// A retry keeps its place at the head and remembers what went wrong.
// Proves: D12
TEST_P(Outbound, KeepsItsPlaceOnARetry) {
    const std::int64_t head = queue("+1");
    queue("+1");
    retry(head, 30s);
    EXPECT_THAT(due(), IsEmpty());
    clock().advance(30s);
    const auto items = must(ops::take_due_outbound{});
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(items.front().id, head);
    EXPECT_EQ(items.front().attempts, 1);
    EXPECT_EQ(items.front().last_error, "the line is busy");
}

// Whoever had the item before says how its attempt ended: what was counted since stays.
// Proves: D12, L7
TEST_P(Outbound, KeepsTheAttemptsOfWhoeverHasItNow) {
    const std::int64_t head = queue("+1");
    EXPECT_TRUE(retry(head, 0us));
    EXPECT_FALSE(retry(head, 30s));
    EXPECT_EQ(due(), std::vector{head});
    EXPECT_EQ(must(ops::take_due_outbound{}).front().attempts, 1);
    EXPECT_TRUE(retry(head, 30s, 1));
    finish(head);
    EXPECT_FALSE(retry(head, 0us, 2));
}

// A deferred row stays deferred over retries and ends with its item.
// Proves: D7, D12
TEST_P(Outbound, EndsTheDeferredRow) {
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").take());
    const delivery_row row = rows_of("r", "a").front();
    ops::finish_set finished = step("r", claim("r").claim_epoch, 0);
    finished.results = {outcome_of(row, delivery_state::deferred)};
    finished.deferred = {make_outbound(row)};
    must(finished);
    const std::int64_t id = due().front();

    retry(id, 0us);
    EXPECT_EQ(rows_of("r", "a").front().state, delivery_state::deferred);
    EXPECT_EQ(rows_of("r", "a").front().attempts, 1);
    ops::finish_outbound sent;
    sent.id = id;
    sent.result = outcome_of(row, delivery_state::done);
    sent.result.attempts = 3;
    sent.result.outcome.provider_message_id = "provider-1";
    must(sent);
    const delivery_row ended = rows_of("r", "a").front();
    EXPECT_EQ(ended.state, delivery_state::done);
    EXPECT_EQ(ended.attempts, 3);
    EXPECT_EQ(ended.outcome.provider_message_id, "provider-1");
    EXPECT_THAT(due(), IsEmpty());
    must(sent);
}

// A row that was ended otherwise meanwhile stays as it is.
// Proves: D7
TEST_P(Outbound, LeavesAnEndedRowAlone) {
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").take());
    const delivery_row row = rows_of("r", "a").front();
    const std::int64_t id = must(ops::put_outbound{make_outbound(row)});
    must(ops::put_results{room_id{"r"}, worker_one(), {outcome_of(row, delivery_state::failed)}, {}}
    );
    ops::finish_outbound sent;
    sent.id = id;
    sent.result = outcome_of(row, delivery_state::done);
    must(sent);
    EXPECT_EQ(rows_of("r", "a").front().state, delivery_state::failed);
}

// Who sends learns which addresses have a queue, how long it is, and when it goes on.
// Proves: D12
TEST_P(Outbound, ListsAddressesThatWait) {
    EXPECT_THAT(must(ops::list_outbound_addresses{}), IsEmpty());
    const std::int64_t head = queue("+2", 30s);
    queue("+2");
    queue("+1");
    const auto waiting = must(ops::list_outbound_addresses{});
    ASSERT_EQ(waiting.size(), 2u);
    EXPECT_EQ(waiting[0].address, "+1");
    EXPECT_EQ(waiting[1].address, "+2");
    EXPECT_EQ(waiting[1].channel, channel_id{"sms"});
    EXPECT_EQ(waiting[1].waiting, 2);
    EXPECT_EQ(waiting[1].next_due, clock().now() + 30s);
    finish(head);
    EXPECT_EQ(must(ops::list_outbound_addresses{})[1].next_due, clock().now());
}

// Whoever takes a room over learns what waits of that room; when an address goes on is said where its first item is the
// room's.
// Proves: D12
TEST_P(Outbound, ListsAddressesWhereItemsOfARoomWait) {
    queue("+1");
    outbound_item other;
    other.room = room_id{"other"};
    other.channel = channel_id{"sms"};
    other.address = "+1";
    other.not_before = clock().now();
    must(ops::put_outbound{other});
    other.address = "+2";
    must(ops::put_outbound{other});
    const auto waiting = must(ops::list_outbound_addresses{room_id{"other"}});
    ASSERT_EQ(waiting.size(), 2u);
    EXPECT_EQ(waiting[0].address, "+1");
    EXPECT_EQ(waiting[0].waiting, 1);
    EXPECT_FALSE(waiting[0].next_due);
    EXPECT_EQ(waiting[1].address, "+2");
    EXPECT_EQ(waiting[1].next_due, clock().now());
    EXPECT_THAT(must(ops::list_outbound_addresses{room_id{"empty"}}), IsEmpty());
}

// The queue, its order and its times are kept over a restart.
// Proves: D12, S1
TEST_P(Outbound, SurvivesARestart) {
    const std::int64_t head = queue("+1", 60s);
    const std::int64_t next = queue("+1");
    const std::string before = describe(must(ops::list_outbound_addresses{}));
    harness().restart();
    EXPECT_EQ(describe(must(ops::list_outbound_addresses{})), before);
    clock().advance(60s);
    EXPECT_THAT(due(), ElementsAre(head));
    finish(head);
    EXPECT_THAT(due(), ElementsAre(next));
    EXPECT_GT(queue("+1"), next);
}

}  // namespace

}  // namespace convene
