// SPDX-License-Identifier: Apache-2.0
// The memory tables: workers, framework events, subscriptions and figures.
#include <algorithm>
#include <utility>

#include "store/memory/memory_tables.hpp"

namespace convene {

// -- workers ----------------------------------------------------------------------------------

result<ops::worker_row> memory_tables::apply(const ops::register_worker& request) {
    const auto [stored, is_new] = workers_.try_emplace(request.worker.incarnation, request.worker);
    if (!is_new) {
        return errc::already_exists;
    }
    stored->second.started_at = clock_.now();
    return stored->second;
}

result<std::monostate> memory_tables::apply(const ops::set_worker_state& request) {
    const auto known = workers_.find(request.incarnation);
    if (known == workers_.end()) {
        return errc::not_found;
    }
    if (is_dead(request.incarnation) && request.state != ops::worker_state::dead) {
        return errc::invalid_argument;
    }
    known->second.state = request.state;
    return std::monostate{};
}

result<std::vector<ops::worker_row>> memory_tables::apply(const ops::list_workers&) {
    std::vector<ops::worker_row> found;
    found.reserve(workers_.size());
    for (const auto& [incarnation, worker] : workers_) {
        found.push_back(worker);
    }
    return found;
}

// -- framework events -------------------------------------------------------------------------

std::int64_t memory_tables::add_notices(std::vector<framework_event> notices, wall_time now) {
    for (framework_event& notice : notices) {
        notice.sequence = ++last_notice_;
        notice.created_at = now;
        notices_.emplace(notice.sequence, std::move(notice));
    }
    return last_notice_;
}

result<std::int64_t> memory_tables::apply(const ops::append_notices& request) {
    return add_notices(request.notices, clock_.now());
}

result<std::vector<framework_event>> memory_tables::apply(const ops::list_notices& request) {
    std::vector<framework_event> found;
    for (auto next = notices_.upper_bound(request.after);
         next != notices_.end() && found.size() < request.limit;
         ++next) {
        found.push_back(next->second);
    }
    return found;
}

result<std::int64_t> memory_tables::apply(const ops::get_subscription& request) {
    const auto known = subscriptions_.find(request.name);
    return known == subscriptions_.end() ? 0 : known->second;
}

result<std::monostate> memory_tables::apply(const ops::put_subscription& request) {
    std::int64_t& sequence = subscriptions_[request.name];
    sequence = std::max(sequence, request.sequence);
    return std::monostate{};
}

// -- figures ----------------------------------------------------------------------------------

result<ops::store_figures> memory_tables::apply(const ops::read_figures&) {
    ops::store_figures figures;
    figures.rooms = static_cast<std::int64_t>(rooms_.size());
    for (const auto& [id, record] : rooms_) {
        figures.events += static_cast<std::int64_t>(record.events.events().size());
    }
    figures.pending_deliveries = static_cast<std::int64_t>(rows_.count_open_rows());
    figures.outbound_waiting = static_cast<std::int64_t>(outbound_.size());
    figures.skips = static_cast<std::int64_t>(skips_.size());
    return figures;
}

}  // namespace convene
