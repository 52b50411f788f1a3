// SPDX-License-Identifier: Apache-2.0
// The outbound pump: items that are another worker's, of a newer release or of a channel bound to its process.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "unit/room/outbound_pump_scene.hpp"

namespace convene {
namespace {

/// The queue has an item that a worker of a newer release planned, in front of one that this worker did.
class OutboundPumpOfAnOlderWorker : public OutboundPump {
   protected:
    OutboundPumpOfAnOlderWorker() {
        ops::register_worker newer;
        newer.worker.incarnation = incarnation_id{"newer"};
        newer.worker.format = 2;
        ask(newer);
        ops::set_worker_state gone{incarnation_id{"newer"}, ops::worker_state::dead};
        ask(gone);
    }

    /// As `defer`, of an event that the newer worker committed.
    outbound_item defer_newer(std::string event, std::string address) {
        const room stored = ask(ops::get_room{acme(), room_id{"r"}});
        batch_on batch{stored};
        room_event planned = make_message(event);
        planned.committed_by = incarnation_id{"newer"};
        batch.add(planned).deliver_to("phone", incarnation_id{"newer"});
        batch.commit().deliveries.back().address = address;
        outbound_item item = make_outbound(batch.commit().deliveries.back());
        ask(batch.take());
        item.not_before = clock_.now();
        item.id = ask(ops::put_outbound{item});
        return item;
    }
};

// It stays in the queue, untried, and keeps its destination; other destinations are served.
// Proves: D7, D12
TEST_F(OutboundPumpOfAnOlderWorker, LeavesNewerItemsInTheQueue) {
    const outbound_item newer = defer_newer("a", "555");
    const outbound_item behind = defer("b", "555");
    const outbound_item beside = defer("c", "777");
    start();
    loop_.advance(seconds{60});
    EXPECT_EQ(sent_events(), std::vector<std::string>{"c"});
    EXPECT_TRUE(is_queued(newer));
    EXPECT_EQ(row_of(newer).attempts, 0);
    EXPECT_TRUE(is_queued(behind));
    EXPECT_FALSE(is_queued(beside));
}

// It gives the lead up, so that a newer worker can have it, after what is under way has ended; and takes it again later.
// Proves: D12
TEST_F(OutboundPumpOfAnOlderWorker, LetsANewerWorkerLead) {
    auto locks = std::make_unique<scripted_locks>();
    scripted_lease::control first;
    scripted_lease::control second;
    locks->ready = {&second, &first};
    locks_ = std::move(locks);
    phone_->then(scripted_attempt::sends_after(seconds{2}));
    defer("b", "777");
    defer_newer("a", "555");
    start();
    loop_.advance(seconds{1});
    EXPECT_FALSE(first.is_released);
    loop_.advance(seconds{2});
    EXPECT_TRUE(first.is_released);
    EXPECT_EQ(sent_events(), std::vector<std::string>{"b"});
    const outbound_item meanwhile = defer("c", "999");
    EXPECT_TRUE(is_queued(meanwhile));
    loop_.advance(seconds{10});
    EXPECT_FALSE(is_queued(meanwhile));
    stop();
    EXPECT_TRUE(second.is_released);
}

class OutboundPumpOfBoundChannels : public OutboundPump {
   protected:
    OutboundPumpOfBoundChannels() {
        EXPECT_TRUE(channels_.add(desk_).has_value());
        ops::register_worker other;
        other.worker.incarnation = worker_two();
        ask(other);
    }

    [[nodiscard]] static std::shared_ptr<scripted_channel> make_desk() {
        scripted_channel_settings bound;
        bound.is_bound_to_process = true;
        return std::make_shared<scripted_channel>(channel_id{"desk"}, bound);
    }

    /// Somebody else leads from now on.
    void let_another_lead() { locks_ = std::make_unique<scripted_locks>(); }

    std::shared_ptr<scripted_channel> desk_ = make_desk();
};

// An item of a channel that only this process reaches: delivered here, although another worker
// leads. Proves: D12
TEST_F(OutboundPumpOfBoundChannels, DeliversItsOwnWithoutLeading) {
    let_another_lead();
    start();
    defer("a", "seat", "desk");
    EXPECT_EQ(desk_->sent().size(), 1U);
    defer("b");
    EXPECT_TRUE(phone_->attempts().empty());
}

// The same of a worker that lives: left to it.
// Proves: D12
TEST_F(OutboundPumpOfBoundChannels, LeavesTheItemsOfALivingWorkerAlone) {
    start();
    const outbound_item item = defer("a", "seat", "desk", worker_two());
    loop_.advance(seconds{60});
    EXPECT_TRUE(desk_->attempts().empty());
    EXPECT_TRUE(is_queued(item));
}

// That worker is dead: nobody can deliver its item any more, and it is on record as skipped.
// Proves: D8
TEST_F(OutboundPumpOfBoundChannels, SkipsTheItemsOfADeadWorker) {
    start();
    const outbound_item item = defer("a", "seat", "desk", worker_two());
    ask(ops::set_worker_state{worker_two(), ops::worker_state::dead});
    loop_.advance(seconds{20});
    EXPECT_TRUE(desk_->attempts().empty());
    EXPECT_FALSE(is_queued(item));
    EXPECT_EQ(row_of(item).state, delivery_state::skipped);
    EXPECT_EQ(row_of(item).outcome.error_code, "bound");
}

// Who owns an item can't be read for a while: it is delivered afterwards.
// Proves: D12
TEST_F(OutboundPumpOfBoundChannels, TriesAgainWhenTheOwnerCannotBeRead) {
    store_.before = refuse_only("list_deliveries");
    start();
    defer("a", "seat", "desk");
    loop_.advance(seconds{5});
    EXPECT_TRUE(desk_->attempts().empty());
    store_.before = nullptr;
    loop_.advance(seconds{5});
    EXPECT_EQ(desk_->sent().size(), 1U);
}

}  // namespace
}  // namespace convene
