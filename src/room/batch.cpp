// SPDX-License-Identifier: Apache-2.0
// Batch: gathering decided events into one commit.
#include "room/batch.hpp"

#include <algorithm>
#include <iterator>

namespace convene {

namespace {

template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
    std::ranges::move(more, std::back_inserter(to));
}

}  // namespace

void batch::add(decided_event next, conclusion concluded, const proposal& proposed) {
    const room_event& event = next.event;
    if (concluded.change) {
        extras_.changes.push_back(std::move(*concluded.change));
    }
    if (proposed.inbound_key) {
        extras_.inbound_keys.push_back(*proposed.inbound_key);
    }
    if (proposed.guard) {
        extras_.guards.push_back(*proposed.guard);
    }
    if (proposed.row_end) {
        extras_.row_ends.push_back(*proposed.row_end);
    }
    if (proposed.session) {
        extras_.session.push_back(*proposed.session);
    }
    append(extras_.tasks, std::move(concluded.tasks));
    append(extras_.tasks, proposed.tasks);
    append(extras_.observations, std::move(concluded.observations));
    append(extras_.observations, proposed.observations);
    append(extras_.notices, std::move(concluded.notices));
    decided.push_back(event);
    pending_.push_back(std::move(next));
}

bool batch::is_pending(const event_id& id) const noexcept {
    return std::ranges::any_of(pending_, [&id](const decided_event& one) {
        return one.event.id == id;
    });
}

bool batch::has_withdrawn() const noexcept {
    return std::ranges::any_of(pending_, [](const decided_event& one) {
        return one.asked_by != nullptr && one.asked_by->is_withdrawn();
    });
}

ops::commit batch::make_commit(const room_context& context) const {
    ops::commit commit = extras_;
    const room& current = tenure.head.room;
    commit.organization = current.organization;
    commit.room = current.id;
    commit.expected_next = current.next_index;
    commit.expected_config = context.room.config;
    commit.expected_organization_config = tenure.head.organization_config;
    commit.expected_status = current.status;
    commit.new_status = current.status;
    commit.events.reserve(pending_.size());
    for (const decided_event& one : pending_) {
        commit.events.push_back(one.event);
        commit.deliveries.insert(commit.deliveries.end(), one.rows.begin(), one.rows.end());
        // A new event resumes a paused room; a refused one does not.
        if (one.event.status == event_status::accepted) {
            commit.new_status = room_status::active;
        }
    }
    return commit;
}

std::vector<decided_event> batch::take_committed(wall_time committed_at) {
    room& current = tenure.head.room;
    const auto count = static_cast<std::int64_t>(pending_.size());
    current.next_index = event_index{current.next_index.value() + count};
    current.latest_index = current.next_index.previous();
    current.event_count += count;
    for (decided_event& one : pending_) {
        one.event.created_at = committed_at;
    }
    extras_ = ops::commit{};
    return std::exchange(pending_, {});
}

}  // namespace convene
