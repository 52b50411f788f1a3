// SPDX-License-Identifier: Apache-2.0
// The auditor's last look: nothing is open, nothing is lost, everything skipped is on record.
#include <algorithm>
#include <ranges>

#include "sim/support/auditor.hpp"

namespace convene {

std::vector<delivery_row> sim_auditor::rows_of(const room_facts& facts, const room_id& room) {
    std::vector<delivery_row> rows;
    for (const event_id& event : facts.events) {
        std::ranges::move(rows_of(room, event), std::back_inserter(rows));
    }
    return rows;
}

bool sim_auditor::is_quiet() {
    const auto figures = data_.apply(ops::read_figures{});
    if (figures->pending_deliveries != 0 || figures->outbound_waiting != 0) {
        return false;
    }
    return std::ranges::all_of(rooms_ | std::views::values, [](const room_facts& room) {
        return room.delivered == room.latest;
    });
}

std::string sim_auditor::describe_unrest() {
    const auto figures = data_.apply(ops::read_figures{});
    std::string unrest = fmt::format(
        "{} rows open, {} outbound items", figures->pending_deliveries, figures->outbound_waiting
    );
    for (const auto& [id, facts] : rooms_) {
        unrest += fmt::format(
            "; {} delivered {} of {}", id.str(), facts.delivered.value(), facts.latest.value()
        );
        for (const delivery_row& row : rows_of(facts, id)) {
            if (!is_final(row.state)) {
                unrest += fmt::format(
                    "; index {} {} {} is {} at {}{}",
                    row.index.value(),
                    word_of(row.kind),
                    row.channel.str(),
                    word_of(row.state),
                    row.committed_by.str(),
                    is_dead(row.committed_by) ? " (dead)" : ""
                );
            }
        }
    }
    return unrest;
}

void sim_auditor::check_end() {
    for (auto& [id, facts] : rooms_) {
        check_room(id, facts);
        check_rows_at_end(id, facts);
    }
    check_acknowledgements();
    check_skip_notices();
}

void sim_auditor::check_rows_at_end(const room_id& id, const room_facts& facts) {
    for (const delivery_row& row : rows_of(facts, id)) {
        if (!events_.at(row.event).is_deleted) {
            check_row_at_end(row);
        }
    }
}

void sim_auditor::check_row_at_end(const delivery_row& row) {
    const row_facts& facts = rows_.at(row.id);
    const bool is_channel = row.kind == target_kind::channel;
    switch (row.state) {
        case delivery_state::done:
            if (is_channel && !facts.was_sent) {
                fail("D7: row {} is done, but nothing was sent", row.id.str());
            }
            // D11: after-hooks run at least once.
            if (row.kind == target_kind::hook_after && !hooked_.contains(row.event)) {
                fail("D11: after-hook row {} is done, but the hook never ran", row.id.str());
            }
            break;
        case delivery_state::failed:
            if (is_channel && row.outcome.error_code != "poison" && !facts.was_failed) {
                fail(
                    "D12: row {} failed as {}, but no attempt did",
                    row.id.str(),
                    row.outcome.error_code
                );
            }
            break;
        case delivery_state::skipped:
            // D8: every skip has a durable record.
            if (row.outcome.error_code != "bound" && !skipped_.contains(row.event)) {
                fail(
                    "D8: row {} is skipped ({}) without a record",
                    row.id.str(),
                    row.outcome.error_code
                );
            }
            break;
        case delivery_state::deferred:
        case delivery_state::pending:
        case delivery_state::streaming:
            fail("D12: row {} is still {} when all is quiet", row.id.str(), word_of(row.state));
            break;
    }
}

/// R8: what was acknowledged is stored, once, at the place the client was told.
void sim_auditor::check_acknowledgements() {
    for (const acknowledgement& told : acknowledged_) {
        const auto known = events_.find(told.event);
        if (known == events_.end()) {
            fail("R8: {} was acknowledged and is not stored", told.key);
        } else if (known->second.room != told.room || known->second.index != told.index) {
            fail("R8: {} was acknowledged at {} and is elsewhere", told.key, told.index.value());
        } else if (!told.key.empty() && stored_keys_[told.key] != 1) {
            fail("R8: {} was acknowledged, but its key is not stored", told.key);
        }
    }
}

/// D8: each skip is a framework event and a row.
void sim_auditor::check_skip_notices() {
    constexpr std::size_t all = 100'000;
    const auto skips = data_.apply(ops::list_skips{std::nullopt, 0, all});
    const auto notices = data_.apply(ops::list_notices{0, all});
    const auto announced = std::ranges::count(*notices, "delivery_skipped", &framework_event::type);
    if (std::cmp_less(announced, skips->size())) {
        fail("D8: {} skips are on record, but {} were announced", skips->size(), announced);
    }
}

}  // namespace convene
