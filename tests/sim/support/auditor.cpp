// SPDX-License-Identifier: Apache-2.0
// The auditor's view of the database: timelines, cursors, owners, one answer for each agent row.
#include "sim/support/auditor.hpp"

#include <algorithm>
#include <ranges>

namespace convene {

sim_auditor::sim_auditor(sim_world& world, tables& data, delivery_recovery policy)
    : world_(world), data_(data), policy_(policy) {}

// -- timelines -----------------------------------------------------------------------------------------

void sim_auditor::applied(const ops::create_room& request, const room& created) {
    rooms_[created.id].organization = request.room.organization;
}

void sim_auditor::applied(const ops::create_routed_room& request, const room_id& routed) {
    if (routed == request.room.id) {
        world_.note("db: {} is made for {}", routed.str(), request.sender);
        rooms_[routed].organization = request.room.organization;
    }
}

void sim_auditor::applied(const ops::commit& request, const ops::commit::answer&) {
    for (const room_event& event : request.events) {
        add_event(event);
    }
    for (const delivery_row& row : request.deliveries) {
        rows_[row.id] = {row.room, row.event, row.index, row.channel, row.committed_by};
    }
    check_rooms();
}

void sim_auditor::add_event(const room_event& event) {
    room_facts& facts = rooms_[event.room];
    world_.note(
        "db: {} index {} is event {} by {}, key '{}'",
        event.room.str(),
        event.index.value(),
        event.id.str(),
        event.committed_by.str(),
        event.idempotency_key
    );
    // R1: dense and unique.
    if (event.index != event_index{static_cast<std::int64_t>(facts.events.size())}) {
        fail("R1: {} index {} is not the next", event.room.str(), event.index.value());
    }
    facts.events.push_back(event.id);
    // L7, L10: nothing of a dead worker arrives.
    if (is_dead(event.committed_by)) {
        fail("L10: {} was stored by a worker that is dead", event.id.str());
    }
    if (!events_.try_emplace(event.id, event.room, event.index, event.committed_by).second) {
        fail("R1: event {} is stored twice", event.id.str());
    }
    // R8: one event for each key. Ours differ between rooms too, as keys of inbound messages have to.
    if (!event.idempotency_key.empty() && ++stored_keys_[event.idempotency_key] != 1) {
        fail("R8: key {} is stored twice", event.idempotency_key);
    }
    // Without a key the sender asks once, and the engine may not ask a second time for it.
    const auto body = event.content.body();
    const bool was_sent_once = event.idempotency_key.empty() && body && body->starts_with("once ");
    if (was_sent_once && ++stored_keys_[std::string{*body}] != 1) {
        fail("R8: '{}' is stored twice", *body);
    }
    add_reply(event);
}

/// D7: an agent's answer to an event is stored once; one that was cut off is closed first, and only one follows.
void sim_auditor::add_reply(const room_event& event) {
    const auto body = event.content.body();
    const bool is_close = event.content.text_field("code") == "answer_interrupted";
    const bool is_answer = body && body->starts_with("answer ");
    if (event.caused_by.empty() || (!is_close && !is_answer)) {
        return;
    }
    answer_facts& facts = answers_[{event.caused_by, event.source.channel}];
    if (is_close) {
        facts.is_closed = true;
        return;
    }
    const bool is_same = !facts.answers.empty() && facts.answers.back() == *body;
    if (is_same && !facts.is_closed) {
        return;
    }
    const bool may_follow = facts.answers.empty() || (facts.is_closed && facts.answers.size() == 1);
    if (!may_follow || is_same) {
        fail(
            "D7: {} answers {} a second time: {}",
            event.source.channel.str(),
            event.caused_by.str(),
            event.idempotency_key
        );
    }
    facts.answers.push_back(*body);
    facts.is_closed = false;
}

void sim_auditor::applied(const ops::delete_event&, const std::vector<event_id>& deleted) {
    for (const event_id& id : deleted) {
        events_.at(id).is_deleted = true;
    }
    check_rooms();
}

void sim_auditor::check_rooms() {
    for (auto& [id, facts] : rooms_) {
        check_room(id, facts);
    }
}

void sim_auditor::check_room(const room_id& id, room_facts& facts) {
    const auto stored = data_.apply(ops::get_room{facts.organization, id});
    if (!stored) {
        fail("{} is gone", id.str());
        return;
    }
    const auto count = static_cast<std::int64_t>(facts.events.size());
    const bool counters_agree = stored->next_index == event_index{count} &&
                                stored->event_count == count &&
                                stored->latest_index == event_index{count - 1};
    // R3: they change with the events and with nothing else.
    if (!counters_agree) {
        fail(
            "R3: {} has {} events, but next {}, count {}, latest {}",
            id.str(),
            count,
            stored->next_index.value(),
            stored->event_count,
            stored->latest_index.value()
        );
    }
    // D3: never back, never beyond what is stored.
    if (stored->delivered_index < facts.delivered ||
        stored->delivered_index > stored->latest_index) {
        fail(
            "D3: the cursor of {} went from {} to {}, latest {}",
            id.str(),
            facts.delivered.value(),
            stored->delivered_index.value(),
            stored->latest_index.value()
        );
    }
    facts.latest = stored->latest_index;
    if (stored->delivered_index > facts.delivered) {
        const event_index before = std::exchange(facts.delivered, stored->delivered_index);
        check_step(id, before, facts.delivered);
    }
}

// -- deliveries ----------------------------------------------------------------------------------------

std::vector<delivery_row> sim_auditor::rows_of(const room_id& room, const event_id& event) {
    return *data_.apply(ops::list_deliveries{room, event});
}

/// D2: the cursor passes an event when every target of its set is settled.
void sim_auditor::check_step(const room_id& id, event_index from, event_index to) {
    const room_facts& facts = rooms_.at(id);
    for (event_index passed = from.next(); passed <= to; passed = passed.next()) {
        const event_id& event = facts.events.at(static_cast<std::size_t>(passed.value()));
        for (const delivery_row& row : rows_of(id, event)) {
            if (row.kind != target_kind::hook_after && !is_settled(row.state)) {
                fail(
                    "D2: the cursor of {} passed {} before its set was settled",
                    id.str(),
                    passed.value()
                );
            }
        }
    }
}

void sim_auditor::applied(const ops::finish_set& request, const ops::finish_set::answer& answer) {
    world_.note("db: {} cursor is at {}", request.room.str(), answer.delivered.value());
    const bool has_stepped = answer.delivered > rooms_.at(request.room).delivered;
    if (has_stepped) {
        // L7, D3: only the worker that wrote itself in as the claimer moves the cursor.
        const auto cursor = data_.apply(ops::get_cursor{request.room});
        if (cursor->claim_epoch != request.claim_epoch) {
            fail("L7: the cursor of {} was moved by a former claimer", request.room.str());
        }
        if (request.skip) {
            check_skip(*request.skip);
        }
    }
    check_rooms();
}

/// D8, D9: only a dead worker's events are skipped, and with `redeliver` only poison.
void sim_auditor::check_skip(const delivery_skip& skip) {
    if (policy_ == delivery_recovery::redeliver && skip.reason == "gap_timeout") {
        fail("D7: {} {}..{} was skipped", skip.room.str(), skip.from.value(), skip.to.value());
    }
    const room_facts& facts = rooms_.at(skip.room);
    for (event_index i = skip.from; i <= skip.to; i = i.next()) {
        const event_id& event = facts.events.at(static_cast<std::size_t>(i.value()));
        if (events_.at(event).is_deleted) {
            continue;  // its rows ended with it, whoever had them
        }
        skipped_.insert(event);
        for (const delivery_row& row : rows_of(skip.room, event)) {
            const bool has_live_owner = !row.committed_by.empty() && !is_dead(row.committed_by);
            if (has_live_owner && row.state == delivery_state::skipped) {
                fail(
                    "D9: {} {} of live worker {} was skipped",
                    skip.room.str(),
                    i.value(),
                    row.committed_by.str()
                );
            }
        }
    }
}

void sim_auditor::applied(const ops::put_results& request, const std::monostate&) {
    if (is_dead(request.executor)) {
        fail("L10: results of a worker that is dead arrived");
    }
    check_rooms();
}

void sim_auditor::applied(
    const ops::adopt_rows& request, const std::vector<delivery_row>& adopted
) {
    for (const delivery_row& row : adopted) {
        row_facts& facts = rows_.at(row.id);
        world_.note(
            "db: {} adopts row {} of {}",
            request.new_owner.str(),
            row.id.str(),
            facts.executor.str()
        );
        const bool was_free = facts.executor.empty() || is_dead(facts.executor);
        if (!was_free && facts.executor != request.new_owner) {
            fail("D9: row {} was taken from live worker {}", row.id.str(), facts.executor.str());
        }
        facts.executor = request.new_owner;
        check_reads_plan(request.new_owner, events_.at(row.event).committed_by);
    }
    check_rooms();
}

void sim_auditor::applied(const ops::release_rows& request, const std::int64_t&) {
    for (row_facts& row : rows_ | std::views::values) {
        if (row.executor == request.owner) {
            row.executor = {};
        }
    }
}

/// D8: what counts as poison has taken the worker with it that began the last attempt.
void sim_auditor::applied(const ops::finish_outbound& request, const bool& is_stored) {
    if (!is_stored) {
        return;
    }
    row_facts& row = rows_.at(request.result.id);
    const delivery_outcome& outcome = request.result.outcome;
    if (outcome.error_code == "poison" && !is_dead(row.begun_by)) {
        fail("D8: row {} is poison, and '{}' lives", request.result.id.str(), row.begun_by.str());
    }
    static constexpr std::string_view begun = "interrupted: ";
    const bool has_begun = outcome.error_message.starts_with(begun);
    row.begun_by = incarnation_id{has_begun ? outcome.error_message.substr(begun.size()) : ""};
}

void sim_auditor::applied(const ops::set_worker_state& request, const std::monostate&) {
    if (request.state == ops::worker_state::dead) {
        world_.note("db: {} is dead", request.incarnation.str());
        dead_.insert(request.incarnation);
    }
}

}  // namespace convene
