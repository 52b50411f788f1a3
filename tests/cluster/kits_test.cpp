// SPDX-License-Identifier: Apache-2.0
// Two whole kits, as a program embeds them, on one PostgreSQL: what they send into one room at once is one conversation.
#include "convene/channels/callback_channel.hpp"
#include "convene/channels/scripted_agent.hpp"
#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster_worker.hpp"
#include "store/store.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

namespace {

enum class locks_of { database, process };

/// What the room's phone was sent, by either worker.
using delivery_log = std::vector<std::int64_t>;

using receipts = std::vector<result<send_receipt>>;

awaitable<send_result> note(delivery_log* log, delivery_request request) {
    log->push_back(request.event.index.value());
    co_return send_result::sent();
}

awaitable<result<>> start(postgres_lock_manager* locks, room_kit* kit) {
    if (locks != nullptr) {
        const result<> started = co_await locks->start();
        if (!started) {
            co_return started;
        }
    }
    co_return co_await kit->init();
}

/// A store, locks and a kit of its own; the kit closes all three.
class embedding_program {
   public:
    embedding_program(loop& where, const postgres_schema& schema, locks_of kind, delivery_log& log)
        : where_(where) {
        const incarnation_id self = make_incarnation();
        store_ = open_postgres_store(store_options(where, schema, self)).value();
        postgres_lock_manager* shared = nullptr;
        if (kind == locks_of::database) {
            auto made = make_postgres_lock_manager(where, {schema.address(), self, 4});
            shared = made.get();
            locks_ = std::move(made);
        } else {
            locks_ = make_in_memory_lock_manager(where);
        }
        room_kit_parts parts;
        parts.where = &where;
        parts.store = store_.get();
        parts.locks = locks_.get();
        parts.incarnation = self;
        kit = std::make_unique<room_kit>(parts, room_kit_settings{});
        register_channels(log);
        const result<> started = where.run_until_done(start(shared, kit.get()));
        EXPECT_TRUE(started) << started.error().message();
    }

    ~embedding_program() { where_.run_until_done(kit->close()); }

    embedding_program(const embedding_program&) = delete;
    embedding_program& operator=(const embedding_program&) = delete;

    std::unique_ptr<room_kit> kit;

   private:
    void register_channels(delivery_log& log) {
        delivery_log* const into = &log;
        const auto phone = std::make_shared<callback_channel>(
            channel_id{"phone"},
            [into](delivery_request request) { return note(into, std::move(request)); }
        );
        const auto bot = std::make_shared<scripted_agent>(
            channel_id{"bot"}, std::vector{agent_script{}.say("You said {text}")}
        );
        EXPECT_TRUE(kit->register_channel(phone));
        EXPECT_TRUE(kit->register_channel(bot));
    }

    loop& where_;
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<lock_manager> locks_;
};

class kits_of_two_programs : public testing::TestWithParam<locks_of> {
   protected:
    /// A room with these channels.
    void open(std::initializer_list<const char*> channels) {
        room made;
        made.id = room_id{"r"};
        std::vector<binding> bindings;
        for (const char* const id : channels) {
            const auto found = first_.kit->find_channel(channel_id{id});
            binding attached;
            attached.room = made.id;
            attached.channel = found->id();
            attached.channel_type = found->type();
            attached.kind = found->kind();
            bindings.push_back(std::move(attached));
        }
        const auto opened = loop_.run_until_done(
            first_.kit->create_room(std::move(made), std::move(bindings), {})
        );
        ASSERT_TRUE(opened) << opened.error().message();
    }

    /// What `send` makes of each kit and number, `times` for each kit, all at once.
    template <class Send>
    receipts all_at_once(int times, Send send) {
        receipts seen;
        task_scope scope{loop_};
        for (int i = 0; i < times; ++i) {
            for (room_kit* const kit : {first_.kit.get(), second_.kit.get()}) {
                scope.spawn("send", send(kit, i, &seen));
            }
        }
        loop_.run_until_done(scope.join());
        return seen;
    }

    template <class Op>
    typename Op::answer ask(Op request) {
        return loop_.run_until_done(second_.kit->store().run(std::move(request))).value();
    }

    [[nodiscard]] room stored_room() { return ask(ops::get_room{{}, room_id{"r"}}); }

    [[nodiscard]] std::vector<room_event> timeline() {
        ops::list_events all;
        all.room = room_id{"r"};
        all.limit = 1000;
        return ask(std::move(all));
    }

    /// Indexes from 0 on, without a gap or a double, and the room's counters as they say.
    void expect_dense(std::int64_t events) {
        const auto stored = timeline();
        ASSERT_EQ(std::ssize(stored), events);
        for (std::int64_t index = 0; const room_event& one : stored) {
            EXPECT_EQ(one.index.value(), index++);
        }
        const room counted = stored_room();
        EXPECT_EQ(counted.event_count, events);
        EXPECT_EQ(counted.latest_index, event_index{events - 1});
        EXPECT_EQ(counted.next_index, event_index{events});
    }

    postgres_schema schema_;
    loop loop_;
    delivery_log delivered_;
    embedding_program first_{loop_, schema_, GetParam(), delivered_};
    embedding_program second_{loop_, schema_, GetParam(), delivered_};
};

outgoing_event says(std::string text) {
    outgoing_event said;
    said.room = room_id{"r"};
    said.content = content::text(std::move(text));
    return said;
}

awaitable<void> send(room_kit* kit, outgoing_event said, receipts* into) {
    auto receipt = co_await kit->send_event(std::move(said), wait_for::delivered);
    into->push_back(std::move(receipt));
}

inbound_message says_from(std::string sender) {
    inbound_message message;
    message.channel = channel_id{"phone"};
    message.room = room_id{"r"};
    message.sender = std::move(sender);
    message.content = content::text("hello");
    return message;
}

awaitable<void> take_in(room_kit* kit, inbound_message message, receipts* into) {
    auto receipt = co_await kit->process_inbound(std::move(message), wait_for::committed);
    into->push_back(std::move(receipt));
}

void expect_all_sent(const receipts& seen, std::size_t count) {
    EXPECT_EQ(seen.size(), count);
    for (const result<send_receipt>& one : seen) {
        EXPECT_TRUE(one) << one.error().message();
    }
}

using kits_with_shared_locks = kits_of_two_programs;

// Ten turns race through two kits: each is delivered once, in the order of the indexes, and the cursor is at the end.
// Proves: R1, D1, D3, D4 (rk:M1)
TEST_P(kits_with_shared_locks, DeliverRacingTurnsInOrder) {
    open({"phone"});
    const receipts seen = all_at_once(5, [](room_kit* kit, int number, receipts* into) {
        return send(kit, says("turn " + std::to_string(number)), into);
    });
    expect_all_sent(seen, 10);
    expect_dense(10);
    EXPECT_EQ(delivered_, (delivery_log{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(stored_room().delivered_index, event_index{9});
}

// The answer of an agent is stored and delivered when its trigger's sender is told, also where the room was made by the
// other kit.
// Proves: R11, D10, R1 (rk:M4, rk:P9)
TEST_P(kits_with_shared_locks, ReturnWithTheAnswer) {
    open({"phone", "bot"});
    receipts seen;
    loop_.run_until_done(send(second_.kit.get(), says("hello"), &seen));
    expect_all_sent(seen, 1);
    expect_dense(2);
    const auto events = timeline();
    EXPECT_EQ(readable_text(events[1].content), "You said hello");
    EXPECT_EQ(events[1].status, event_status::accepted);
    EXPECT_EQ(events[1].caused_by, events[0].id);
    EXPECT_EQ(stored_room().delivered_index, event_index{1});
    EXPECT_EQ(delivered_, (delivery_log{0, 1}));
}

INSTANTIATE_TEST_SUITE_P(, kits_with_shared_locks, testing::Values(locks_of::database));

using kits_with_any_locks = kits_of_two_programs;

// Sixteen messages come in at once through two kits. Locks of the database keep them apart, and nothing is refused. Where
// each kit has locks of its own process alone, the compare of the room's counters does: who keeps coming second is told so,
// and what was not refused is there. Indexes are dense in both cases.
// Proves: R1, L7 (rk:P2, rk:P7, rk:P8)
TEST_P(kits_with_any_locks, TakeInSixteenAtOnce) {
    open({"phone"});
    const receipts seen = all_at_once(8, [](room_kit* kit, int number, receipts* into) {
        return take_in(kit, says_from("+" + std::to_string(number)), into);
    });
    ASSERT_EQ(seen.size(), 16U);
    std::set<event_id> taken;
    for (const result<send_receipt>& one : seen) {
        if (one) {
            taken.insert(one->event.id);
        } else {
            EXPECT_EQ(GetParam(), locks_of::process);
            EXPECT_EQ(one.error(), errc::room_contended) << one.error().message();
        }
    }
    ASSERT_FALSE(taken.empty());
    expect_dense(std::ssize(taken));
    std::set<event_id> stored;
    for (const room_event& one : timeline()) {
        stored.insert(one.id);
    }
    EXPECT_EQ(stored, taken);
}

INSTANTIATE_TEST_SUITE_P(
    , kits_with_any_locks, testing::Values(locks_of::database, locks_of::process)
);

}  // namespace

}  // namespace convene
