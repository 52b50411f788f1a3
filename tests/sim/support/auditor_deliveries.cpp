// SPDX-License-Identifier: Apache-2.0
// The auditor's view of what leaves the workers: who executes, in which order, and what clients were told.
#include <algorithm>

#include "sim/support/auditor.hpp"

namespace convene {

const delivery_row* sim_auditor::find_row(
    const std::vector<delivery_row>& rows, const delivery_id& id
) const {
    const auto found = std::ranges::find(rows, id, &delivery_row::id);
    return found == rows.end() ? nullptr : &*found;
}

std::int32_t sim_auditor::format_of(const incarnation_id& worker) {
    const auto workers = data_.apply(ops::list_workers{});
    const auto found = std::ranges::find(*workers, worker, &ops::worker_row::incarnation);
    return found == workers->end() ? 0 : found->format;
}

/// D7: what a newer release planned is left to it.
void sim_auditor::check_reads_plan(const incarnation_id& by, const incarnation_id& planner) {
    if (format_of(by) < format_of(planner)) {
        fail("D7: {} takes what {}, of a newer format, planned", by.str(), planner.str());
    }
}

void sim_auditor::check_may_execute(
    const incarnation_id& by, const room_event& event, const delivery_id& id
) {
    const auto rows = rows_of(event.room, event.id);
    const delivery_row* const row = find_row(rows, id);
    if (row == nullptr) {
        if (!events_.at(event.id).is_deleted) {
            fail("D1: {} is executed, but no row has this id", id.str());
        }
        return;
    }
    check_reads_plan(by, event.committed_by);
    // The outbound queue has one leader. One that froze has lost its lease before it can know, and its attempt
    // that was due comes once more, under the same id.
    bool& was_deferred = rows_.at(id).was_deferred;
    was_deferred = was_deferred || row->state == delivery_state::deferred;
    if (was_deferred) {
        return;
    }
    // D7: only rows that are not final run.
    if (is_final(row->state) && !events_.at(event.id).is_deleted) {
        fail("D7: {} executes row {}, which is {}", by.str(), id.str(), word_of(row->state));
    }
    // D9: a live worker's event is its own.
    if (row->committed_by != by && !is_final(row->state)) {
        fail("D9: {} executes row {} of {}", by.str(), id.str(), row->committed_by.str());
    }
    // D2: the set before is settled in the store.
    const auto cursor = data_.apply(ops::get_cursor{event.room});
    if (cursor->delivered < event.index.previous()) {
        fail(
            "D2: {} {} begins while the cursor is at {}",
            event.room.str(),
            event.index.value(),
            cursor->delivered.value()
        );
    }
}

/// D2: what a channel sees for the first time comes in the order of indexes.
void sim_auditor::check_order(row_facts& row) {
    if (std::exchange(row.was_attempted, true)) {
        return;
    }
    const auto [last, is_first] = first_attempts_.try_emplace({row.room, row.channel}, row.index);
    if (!is_first && row.index <= last->second) {
        fail(
            "D2: {} gets {} of {} after {}",
            row.channel.str(),
            row.index.value(),
            row.room.str(),
            last->second.value()
        );
    }
    last->second = row.index;
}

void sim_auditor::attempt_begins(const incarnation_id& by, const delivery_request& request) {
    ++attempts_;
    world_.note(
        "{} delivers {} {} to {}, attempt {}",
        by.str(),
        request.event.room.str(),
        request.event.index.value(),
        request.binding.channel.str(),
        request.attempt
    );
    // What was in flight when its worker was proven dead can't be held back; receivers drop it by its id.
    if (is_dead(by)) {
        return;
    }
    check_may_execute(by, request.event, request.id);
    check_order(rows_.at(request.id));
}

void sim_auditor::attempt_ends(const delivery_request& request, send_result::verdict verdict) {
    row_facts& row = rows_.at(request.id);
    row.was_sent = row.was_sent || verdict == send_result::verdict::sent;
    row.was_failed = row.was_failed || verdict == send_result::verdict::failed;
}

void sim_auditor::answer_begins(const incarnation_id& by, const agent_request& request) {
    world_.note(
        "{} asks {} about {} {}",
        by.str(),
        request.binding.channel.str(),
        request.trigger.room.str(),
        request.trigger.index.value()
    );
    if (!is_dead(by)) {
        check_may_execute(by, request.trigger, request.id);
    }
}

/// R19: a subscriber gets every framework event, in order; one that it did not take comes again.
void sim_auditor::notice_given(
    const std::string& subscriber, const framework_event& notice, bool is_taken
) {
    std::int64_t& last = notices_taken_[subscriber];
    if (notice.sequence > last + 1) {
        fail("R19: {} gets notice {} after {}", subscriber, notice.sequence, last);
    }
    if (is_taken) {
        last = std::max(last, notice.sequence);
    }
}

void sim_auditor::acknowledged(const std::string& key, const send_receipt& receipt) {
    const room_id& room = receipt.event.room;
    acknowledged_.push_back({room, key, receipt.event.id, receipt.event.index});
    if (receipt.progress != delivery_progress::delivered) {
        return;
    }
    // D10: delivered means that the event's set has run.
    for (const delivery_row& row : rows_of(room, receipt.event.id)) {
        if (row.kind != target_kind::hook_after && !is_final(row.state)) {
            fail(
                "D10: {} is called delivered, but row {} is open",
                receipt.event.id.str(),
                row.id.str()
            );
        }
    }
}

void sim_auditor::refused(const std::string& key, error_code why) {
    world_.note("{} is refused: {}", key, why.message());
    for (const errc unexpected :
         {errc::idempotency_key_reused,
          errc::invalid_argument,
          errc::not_found,
          errc::not_authorized}) {
        if (why == unexpected) {
            fail("R8: {} is answered '{}'", key, why.message());
        }
    }
}

/// R14, R18: a reader gets every index once, in order; what is missing was deleted.
void sim_auditor::tail_seen(
    const room_id& room, event_index after, const std::vector<room_event>& events
) {
    const room_facts& facts = rooms_.at(room);
    event_index expected = after.next();
    for (const room_event& event : events) {
        for (; expected < event.index; expected = expected.next()) {
            const event_id& missing = facts.events.at(static_cast<std::size_t>(expected.value()));
            if (!events_.at(missing).is_deleted) {
                fail("R18: a reader of {} misses {}", room.str(), expected.value());
            }
        }
        if (event.index != expected) {
            fail("R14: a reader of {} gets {} out of order", room.str(), event.index.value());
        }
        expected = event.index.next();
    }
}

}  // namespace convene
