// SPDX-License-Identifier: Apache-2.0
// A whole kit on a memory store and a clock that the test moves, with the channels most tests need.
#pragma once

#include "convene/channels/scripted_agent.hpp"
#include "convene/channels/scripted_channel.hpp"
#include "convene/room_kit.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/manual_loop.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/scripted_hook_caller.hpp"

namespace convene {

/// One worker's view of tables that outlive it: closing it closes nothing else.
class store_view final : public conversation_store {
   public:
    explicit store_view(tables& viewed) : viewed_(viewed) {}

    [[nodiscard]] awaitable<void> close() override {
        is_closed_ = true;
        co_return;
    }

    [[nodiscard]] std::string name() const override { return "MemoryStore"; }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return is_shared; }

    bool is_shared = false;  ///< whether its worker looks out for what others leave

    std::string refused;   ///< the operation that finds the store unavailable, by its name
    int lost_answers = 0;  ///< so many of the next writes are stored, and nobody is told

    /// How often each operation ran, by its name.
    std::map<std::string, int> counts;

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override {
        if (is_closed_) {
            co_return errc::unavailable;
        }
        ++counts[request->name()];
        if (request->name() == refused) {
            co_return errc::unavailable;
        }
        request->apply_to(viewed_);
        const bool is_lost = lost_answers > 0 && !request->is_read_only();
        if (is_lost) {
            --lost_answers;
            co_return errc::outcome_unknown;
        }
        co_return result<>{};
    }

   private:
    tables& viewed_;
    bool is_closed_ = false;
};

/// What outlives a worker: the stored rooms.
struct shared_world {
    manual_wall_clock clock;
    memory_tables stored{clock};
    std::unique_ptr<conversation_store> store = std::make_unique<store_view>(stored);
};

/// Passes on what a kit commits, to a listener that a test makes later.
class late_listener final : public commit_listener {
   public:
    commit_listener* to = nullptr;

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override {
        if (to != nullptr) {
            to->committed(around, events);
        }
    }

    void erased(const room_id& room, const std::vector<event_id>& events) noexcept override {
        if (to != nullptr) {
            to->erased(room, events);
        }
    }
};

/// The bell between workers, which a test connects when it has others.
class noted_bell final : public lane_bell {
   public:
    struct ring_of {
        room_id room;
        incarnation_id worker;

        friend bool operator==(const ring_of&, const ring_of&) = default;
    };

    bool connected = false;
    std::vector<ring_of> rung;

    [[nodiscard]] bool is_connected() const noexcept override { return connected; }

    void ring(
        const organization_id& /*organization*/, const room_id& room, const incarnation_id& worker
    ) noexcept override {
        rung.push_back({room, worker});
    }
};

/// One worker. A test that lets it die calls `crash`, and starts another one on the same world.
class kit_scene {
   public:
    explicit kit_scene(room_kit_settings with = {})
        : kit_scene(std::make_shared<shared_world>(), with) {}

    kit_scene(
        std::shared_ptr<shared_world> in, room_kit_settings with, std::int32_t plan_format = 1
    )
        : world(std::move(in)), settings(with) {
        locks = make_in_memory_lock_manager(loop);
        room_kit_parts parts;
        parts.where = &loop;
        parts.store = &store;
        parts.locks = locks.get();
        parts.clock = &world->clock;
        parts.commits = &commits;
        parts.bell = &bell;
        parts.remote_hooks = &hooks;
        parts.plan_format = plan_format;
        kit = std::make_unique<room_kit>(parts, with);
    }

    kit_scene(const kit_scene&) = delete;
    kit_scene& operator=(const kit_scene&) = delete;

    ~kit_scene() {
        if (kit != nullptr) {
            loop.run(kit->close());
        }
    }

    /// `phone` and `web` carry messages to people; the room has both, and every agent that was added before.
    void open() {
        add(phone);
        add(web);
        expect_ok(loop.run(kit->init()));
        for (binding& attached : bindings) {
            attached.room = room_id{"r"};
        }
        room opened;
        opened.id = room_id{"r"};
        expect_ok(loop.run(kit->create_room(opened, bindings, {})));
    }

    /// The same worker again, or another one, on rooms that exist.
    void reopen() {
        add(phone);
        add(web);
        expect_ok(loop.run(kit->init()));
    }

    template <class Channel>
    void add(std::shared_ptr<Channel> added) {
        expect_ok(kit->register_channel(added));
        binding attached;
        attached.channel = added->id();
        attached.channel_type = added->type();
        attached.kind = added->kind();
        bindings.push_back(std::move(attached));
    }

    std::shared_ptr<scripted_agent> add_agent(std::string id, agent_script script) {
        auto agent = std::make_shared<scripted_agent>(
            channel_id{std::move(id)}, std::vector<agent_script>{std::move(script)}
        );
        add(agent);
        return agent;
    }

    /// A message by a person on the web.
    [[nodiscard]] static outgoing_event says(std::string text, std::string key = {}) {
        outgoing_event sent;
        sent.room = room_id{"r"};
        sent.channel = channel_id{"web"};
        sent.participant = participant_id{"ann"};
        sent.content = content::text(text);
        sent.idempotency_key = std::move(key);
        return sent;
    }

    result<send_receipt> send(outgoing_event sent, wait_for until = wait_for::delivered) {
        return loop.run(kit->send_event(std::move(sent), until));
    }

    /// Starts a send that the test does not wait for; its receipt appears in `slot`.
    void start_send(
        task_scope& scope,
        outgoing_event sent,
        std::optional<result<send_receipt>>& slot,
        wait_for until = wait_for::delivered
    ) {
        scope.spawn("send", store_receipt(kit.get(), std::move(sent), until, &slot));
    }

    template <class Op>
    typename Op::answer ask(Op request) {
        auto answer = loop.run(world->store->run(std::move(request)));
        EXPECT_TRUE(answer.has_value()) << answer.error().message();
        return answer ? std::move(*answer) : typename Op::answer{};
    }

    [[nodiscard]] std::vector<room_event> timeline() {
        ops::list_events all;
        all.room = room_id{"r"};
        all.limit = 1000;
        return ask(all);
    }

    [[nodiscard]] room stored_room() { return ask(ops::get_room{organization_id{}, room_id{"r"}}); }

    [[nodiscard]] std::vector<framework_event> notices(std::string_view type) {
        std::vector<framework_event> all = ask(ops::list_notices{0, 1000});
        std::erase_if(all, [type](const framework_event& one) { return one.type != type; });
        return all;
    }

    /// kill -9: nothing of this worker runs any more, and its death is proven.
    void crash() {
        const incarnation_id dead = kit->incarnation();
        loop.abandon();
        kit.reset();
        manual_loop other;
        const auto buried = other.run(
            world->store->run(ops::set_worker_state{dead, ops::worker_state::dead})
        );
        expect_ok(buried);
    }

    std::shared_ptr<shared_world> world;
    store_view store{world->stored};
    room_kit_settings settings;
    manual_loop loop;
    std::unique_ptr<lock_manager> locks;
    std::shared_ptr<scripted_channel> phone = std::make_shared<scripted_channel>(channel_id{"phone"}
    );
    std::shared_ptr<scripted_channel> web = std::make_shared<scripted_channel>(channel_id{"web"});
    std::vector<binding> bindings;
    late_listener commits;
    noted_bell bell;
    scripted_hook_caller hooks;
    std::unique_ptr<room_kit> kit;

   private:
    template <class Result>
    static void expect_ok(const Result& outcome) {
        if (!outcome) {
            ADD_FAILURE() << outcome.error().message();
        }
    }

    static awaitable<void> store_receipt(
        room_kit* kit,
        outgoing_event sent,
        wait_for until,
        std::optional<result<send_receipt>>* into
    ) {
        auto receipt = co_await kit->send_event(std::move(sent), until);
        into->emplace(std::move(receipt));
    }
};

/// The texts a channel got, in the order in which it got them.
[[nodiscard]] inline std::vector<std::string> texts_of(const std::deque<delivery_request>& requests
) {
    std::vector<std::string> texts;
    texts.reserve(requests.size());
    for (const delivery_request& one : requests) {
        texts.push_back(readable_text(one.event.content));
    }
    return texts;
}

[[nodiscard]] inline std::vector<std::int64_t> indexes_of(
    const std::deque<delivery_request>& requests
) {
    std::vector<std::int64_t> indexes;
    indexes.reserve(requests.size());
    for (const delivery_request& one : requests) {
        indexes.push_back(one.event.index.value());
    }
    return indexes;
}

}  // namespace convene
