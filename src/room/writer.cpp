// SPDX-License-Identifier: Apache-2.0
// Room writer: queue, batch, and what is decided under the lock.
#include "room/writer.hpp"

#include <algorithm>

#include "room/call_chain.hpp"
#include "room/delivery_notices.hpp"
#include "room/lane.hpp"
#include "room/permissions.hpp"
#include "room/plan.hpp"
#include "store/operations/hooks.hpp"

namespace convene {

namespace {

/// Bounds of a batch: a batch is what one sync to disk pays for, and what others wait for.
constexpr std::size_t max_batch_events = 128;
constexpr std::size_t max_batch_bytes = 1 << 20;

/// Where remote hooks are asked: so many events of a room are with them at once.
constexpr std::size_t max_asked_events = 16;

bool has_mode(const std::vector<shared_remote_hook>& hooks, hook_mode mode) {
    return std::ranges::any_of(hooks, [mode](const shared_remote_hook& hook) {
        return hook->mode == mode;
    });
}

/// A serial hook may hold the lock for its whole deadline: others get the room between two events.
std::size_t largest_batch(const std::vector<shared_remote_hook>& hooks) {
    if (has_mode(hooks, hook_mode::serial)) {
        return 1;
    }
    return has_mode(hooks, hook_mode::remote) ? max_asked_events : max_batch_events;
}

/// Takes the value of a read where there is one.
template <class T>
result<> keep(result<T> read, T* into) {
    if (!read) {
        return read.error();
    }
    *into = std::move(*read);
    return {};
}

std::size_t size_of(const proposal& what) {
    return what.event.content.json().str().size() + what.event.metadata.str().size();
}

}  // namespace

room_writer::room_writer(
    engine_core* core,
    lane* deliveries,
    task_scope* scope,
    organization_id organization,
    room_id room
)
    : core_(*core),
      lane_(*deliveries),
      scope_(*scope),
      organization_(std::move(organization)),
      room_(std::move(room)) {}

// ---- the queue -------------------------------------------------------------------------------------------

awaitable<result<committed_event>> room_writer::submit(
    proposal proposed, std::shared_ptr<cascade> caused, deadline until
) {
    if (is_full()) {
        co_return errc::overloaded;
    }
    auto queued = std::make_shared<submission>(std::move(proposed), std::move(caused), until);
    queue_.push_back(queued);
    if (!std::exchange(is_running_, true)) {
        scope_.spawn("writer " + room_.str(), run());
    }

    auto wait_for_answer = [](std::shared_ptr<submission> asked) -> awaitable<result<>> {
        const result<> answered = co_await asked->answered().wait();
        co_return answered;
    };
    const result<> answered = co_await with_deadline(until, wait_for_answer(queued));
    if (!answered && queued->try_withdraw()) {
        if (answered.error() == errc::timed_out) {
            co_return errc::process_timeout;
        }
        co_return answered.error();
    }
    if (!answered) {
        // The commit is on its way: its outcome is the answer, whatever the deadline.
        const result<> committed = co_await shielded(wait_for_answer(queued));
        static_cast<void>(committed);
    }
    co_return std::move(queued->outcome());
}

void room_writer::refuse_all() {
    for (const std::shared_ptr<submission>& waiting : queue_) {
        waiting->answer(errc::unavailable);
    }
    queue_.clear();
}

std::vector<std::shared_ptr<submission>> room_writer::take_batch() {
    std::vector<std::shared_ptr<submission>> taken;
    std::size_t bytes = 0;
    const std::size_t max_events = largest_batch(hooks_);
    while (!queue_.empty() && taken.size() < max_events && bytes < max_batch_bytes) {
        const std::shared_ptr<submission>& next = queue_.front();
        if (next->is_alone && !taken.empty()) {
            break;
        }
        const bool is_last = next->is_alone;
        if (!next->is_withdrawn()) {
            bytes += size_of(next->what());
            taken.push_back(next);
        }
        queue_.pop_front();
        if (is_last) {
            break;
        }
    }
    return taken;
}

awaitable<void> room_writer::run() {
    while (!queue_.empty() && !scope_.is_stopping()) {
        co_await run_batch();
    }
    if (scope_.is_stopping()) {
        refuse_all();
    }
    is_running_ = false;
}

// ---- one batch -------------------------------------------------------------------------------------------

awaitable<void> room_writer::run_batch() {
    std::vector<std::shared_ptr<submission>> taken = take_batch();
    if (taken.empty()) {
        co_return;
    }

    deadline latest = taken.front()->until();
    for (const std::shared_ptr<submission>& one : taken) {
        latest = one->until() < latest ? latest : one->until();
    }
    if (has_mode(hooks_, hook_mode::remote)) {
        co_await ask_before_lock(&taken, latest);
    }
    auto entered = co_await core_.store.enter_room(&core_.locks, head_for(taken), latest);
    if (!entered) {
        // The last sender's deadline has passed as well: nobody waits any longer.
        const error_code failure = entered.error();
        const error_code answer = failure == errc::timed_out
                                      ? make_error_code(errc::process_timeout)
                                      : failure;
        for (const std::shared_ptr<submission>& one : taken) {
            one->answer(answer);
        }
        co_return;
    }

    batch building{std::move(*entered)};
    building.submissions = std::move(taken);
    const config_version of_organization = building.tenure.head.organization_config;
    result<> done = co_await refresh_context(building.tenure.head.room, of_organization);
    if (done) {
        auto referenced = co_await load_references(&building.submissions);
        done = keep(std::move(referenced), &building.referenced);
    }
    if (done) {
        current_ = &building;
        for (std::size_t i = 0; i < building.submissions.size() && !building.is_cut_short; ++i) {
            const std::shared_ptr<submission> next = building.submissions[i];
            if (!next->is_withdrawn()) {
                co_await decide(&building, next);
            }
            const bool has_more = i + 1 < building.submissions.size();
            building.is_cut_short |= has_more && has_mode(hooks_, hook_mode::serial);
        }
        current_ = nullptr;
        if (building.has_withdrawn()) {
            // Indexes would shift: decide the others again.
            try_again(&building, errc::room_contended);
            done = co_await leave(&building);
            co_return;
        }
        done = co_await flush(&building, unlock_mode::release);
    }
    if (!done) {
        co_await finish_failed(&building, done.error());
    } else if (building.is_cut_short) {
        try_again(&building, errc::room_contended);
    }
    co_await store_refusals(&building);
}

ops::load_room_head room_writer::head_for(const std::vector<std::shared_ptr<submission>>& batch
) const {
    ops::load_room_head head;
    head.organization = organization_;
    head.room = room_;
    head.format = core_.plan_format;
    for (const std::shared_ptr<submission>& one : batch) {
        const std::string& key = one->what().event.idempotency_key;
        if (!key.empty()) {
            head.keys.push_back(key);
        }
    }
    return head;
}

/// Brings the cached context and hooks up to the room row that was read, under the lock or before it.
awaitable<result<>> room_writer::refresh_context(room current, config_version organization_config) {
    const bool is_known = shared_context_ != nullptr && context_.room.config == current.config &&
                          organization_config_ == organization_config;
    if (!is_known) {
        shared_context_.reset();
        ops::load_hooks asked{organization_, room_};
        auto hooks = co_await core_.store.run(std::move(asked));
        if (!hooks) {
            co_return hooks.error();
        }
        ops::load_room_context request{organization_, room_};
        auto loaded = co_await core_.store.run(std::move(request));
        if (!loaded) {
            co_return loaded.error();
        }
        hooks_.clear();
        for (remote_hook& hook : hooks->hooks) {
            hooks_.push_back(std::make_shared<const remote_hook>(std::move(hook)));
        }
        organization_config_ = hooks->organization_config;
        context_ = std::move(*loaded);
        shared_context_ = std::make_shared<const room_context>(context_);
        // Newer than the lock's read: the commit's compare would miss, so decide on a fresh read.
        if (context_.room.config != current.config || organization_config_ != organization_config) {
            co_return errc::room_changed;
        }
    }
    context_.room = std::move(current);
    co_return result<>{};
}

/// Reads the events that the replies, edits and deletes of a batch point at.
awaitable<result<std::vector<room_event>>> room_writer::load_references(
    const std::vector<std::shared_ptr<submission>>* batch
) {
    ops::find_events request;
    request.room = room_;
    for (const std::shared_ptr<submission>& one : *batch) {
        const room_event& event = one->what().event;
        if (!event.parent.empty()) {
            request.ids.push_back(event.parent);
        }
        if (event.type != event_type::edit && event.type != event_type::remove) {
            continue;
        }
        const std::optional<event_id> target = event.content.target_event();
        if (target) {
            request.ids.push_back(*target);
        }
    }
    if (request.ids.empty()) {
        co_return std::vector<room_event>{};
    }
    auto found = co_await core_.store.run(std::move(request));
    co_return found;
}

awaitable<void> room_writer::decide(batch* building, std::shared_ptr<submission> next) {
    const proposal& proposed = next->what();
    if (proposed.permitted_at && *proposed.permitted_at != context_.room.config) {
        next->answer(errc::room_changed);
        co_return;
    }
    const gate_facts facts{
        &context_, &building->tenure.head.hits, &building->referenced, &building->decided
    };
    gate_decision decision = pass_gates(
        facts, proposed, room_limits{core_.settings.max_chain_depth}
    );

    if (const auto* refused = std::get_if<refusal>(&decision)) {
        if (refused->code == errc::room_closed) {
            building->refusals.push_back(
                make_room_refused(organization_, proposed.event, "room_closed")
            );
        }
        next->answer(refused->code);
        co_return;
    }
    if (auto* first = std::get_if<replayed>(&decision)) {
        // The first may still fail to be stored: its repeats share its fate.
        if (building->is_pending(first->event.id)) {
            building->repeats.push_back({next, first->event.id});
            co_return;
        }
        committed_event answer;
        answer.event = std::move(first->event);
        answer.is_replay = true;
        next->answer(std::move(answer));
        co_return;
    }

    auto& passed = std::get<admitted>(decision);
    place(building, &passed.event);

    hook_chain_outcome hooked;
    const bool runs_hooks = passed.event.status == event_status::accepted &&
                            proposed.from != origin::injected;
    if (runs_hooks) {
        if (must_ask(*next, passed.event)) {
            building->is_cut_short = true;
            co_return;
        }
        auto called = co_await run_hooks(next, passed.event);
        if (!called) {
            const error_code failure = called.error();
            next->answer(
                failure == errc::timed_out ? make_error_code(errc::process_timeout) : failure
            );
            co_return;
        }
        hooked = std::move(*called);
        // A hook may have committed into this room: the position is the next one now.
        passed.event.index = building->next_index();
        if (count_asked(passed.event) > 0) {
            passed.event.plan.budget -= budget_of_hooks(passed.event.plan.budget);
        }
    }
    if (next->is_withdrawn()) {
        co_return;
    }

    add_decided(
        building,
        next,
        conclude(context_, proposed, std::move(passed), std::move(hooked), &core_.ids),
        proposed
    );
}

/// Adds an event, and behind it what its hooks injected: those pass the gates, but no hooks.
void room_writer::add_decided(
    batch* building,
    std::shared_ptr<submission> asked_by,
    conclusion concluded,
    const proposal& proposed
) {
    const std::vector<proposal> injected = std::exchange(concluded.injected, {});
    const std::shared_ptr<cascade> caused = asked_by->caused();
    add_event(building, std::move(asked_by), caused, std::move(concluded), proposed);

    for (const proposal& more : injected) {
        const gate_facts facts{
            &context_, &building->tenure.head.hits, &building->referenced, &building->decided
        };
        gate_decision decision = pass_gates(
            facts, more, room_limits{core_.settings.max_chain_depth}
        );
        auto* passed = std::get_if<admitted>(&decision);
        if (passed == nullptr) {
            continue;
        }
        place(building, &passed->event);
        conclusion one = conclude(
            context_, more, std::move(*passed), hook_chain_outcome{}, &core_.ids
        );
        add_event(building, nullptr, caused, std::move(one), more);
    }
}

void room_writer::add_event(
    batch* building,
    std::shared_ptr<submission> asked_by,
    std::shared_ptr<cascade> caused,
    conclusion concluded,
    const proposal& proposed
) {
    decided_event one;
    one.event = concluded.event;
    one.rows = plan_deliveries(context_, one.event, plan_inputs_for(proposed, one.event));
    one.from = proposed.from;
    one.caused = std::move(caused);
    one.chain = proposed.chain;
    one.asked_by = std::move(asked_by);
    if (const incarnation_id other = deliverer_for(*building, one.rows); !other.empty()) {
        one.is_left_to_other = true;
        for (delivery_row& row : one.rows) {
            row.committed_by = other;
        }
    }
    building->add(std::move(one), std::move(concluded), proposed);
}

/// Who delivers an event if it is not this worker: one that has deliveries of the room before it and lives. Handing the
/// claim over for every event of a room that several workers write to would cost more than the deliveries (decision
/// 0011). Empty: this one.
incarnation_id room_writer::deliverer_for(
    const batch& building, const std::vector<delivery_row>& rows
) const {
    const ops::load_room_head::answer& head = building.tenure.head;
    const std::int64_t waiting = head.room.latest_index.value() - head.room.delivered_index.value();
    const bool is_busy = waiting > 0 &&
                         waiting < static_cast<std::int64_t>(core_.settings.lane_capacity);
    // After-hooks alone hold nobody up: whoever has the claim passes by, and their owner has to know of them.
    const bool has_targets = std::ranges::any_of(rows, [](const delivery_row& row) {
        return row.kind != target_kind::hook_after;
    });
    const bool must_stay = std::ranges::any_of(rows, &delivery_row::is_bound) ||
                           (!rows.empty() && !has_targets);
    const bool can_tell = core_.bell != nullptr && core_.bell->is_connected();
    if (!can_tell || !is_busy || must_stay || head.deliverer == core_.me) {
        return {};
    }
    return head.deliverer;
}

void room_writer::place(batch* building, room_event* event) const {
    event->index = building->next_index();
    event->committed_by = core_.me;
    event->plan.config = context_.room.config;
}

plan_inputs room_writer::plan_inputs_for(const proposal& proposed, const room_event& event) const {
    plan_inputs inputs;
    inputs.from = proposed.from;
    inputs.committed_by = core_.me;
    inputs.targets = proposed.targets;
    inputs.shown_on = proposed.shown_on;
    inputs.is_bound = [this](const channel_id& id) {
        const std::shared_ptr<channel> found = core_.channels.find(id);
        return found != nullptr && found->is_bound_to_process();
    };
    for (const auto& hook : core_.hooks.match(hook_point::after_delivery, context_.room, event)) {
        inputs.after_hooks.push_back(hook->id);
    }
    for (const auto& hook : match_remote_hooks(hooks_, hook_mode::after_delivery, event)) {
        inputs.after_hooks.push_back(hook->id);
    }
    return inputs;
}

// ---- from inside a hook ----------------------------------------------------------------------------------

awaitable<result<committed_event>> room_writer::commit_inside(
    proposal proposed, std::shared_ptr<cascade> caused
) {
    batch* const building = current_;
    if (building == nullptr) {
        co_return errc::would_deadlock;
    }
    const result<> before = co_await flush(building, unlock_mode::keep);
    if (!before) {
        co_return before.error();
    }

    auto nested = std::make_shared<submission>(
        std::move(proposed), std::move(caused), deadline::never()
    );
    nested->is_nested = true;
    co_await decide(building, nested);
    const result<> stored = co_await flush(building, unlock_mode::keep);
    if (!stored) {
        nested->answer(stored.error());
    }
    co_return std::move(nested->outcome());
}

}  // namespace convene
