// SPDX-License-Identifier: Apache-2.0
// Hiding deleted text.
#include "app/deleted_text.hpp"

#include <unordered_set>
#include <utility>

namespace convene {

namespace {

event_id target_of(const room_event& change) {
    return change.content.target_event().value_or(event_id{});
}

}  // namespace

awaitable<result<>> hide_deleted(
    conversation_store* store, room_id room, std::vector<room_event>* page
) {
    ops::find_events request;
    request.room = std::move(room);
    for (const room_event& event : *page) {
        if (event.type == event_type::edit) {
            request.ids.push_back(target_of(event));
        }
    }
    std::unordered_set<event_id> deleted;
    if (!request.ids.empty()) {
        const auto targets = co_await store->run(std::move(request));
        if (!targets) {
            co_return targets.error();
        }
        for (const room_event& target : *targets) {
            if (target.is_deleted) {
                deleted.insert(target.id);
            }
        }
    }
    for (room_event& event : *page) {
        const bool repeats_deleted = event.type == event_type::edit &&
                                     deleted.contains(target_of(event));
        if (event.is_deleted) {
            event.content = content::system(deleted_text, "message_deleted");
        } else if (repeats_deleted) {
            event.content = content::edit(target_of(event), content::text(deleted_text));
        }
        if (event.is_deleted || repeats_deleted) {
            event.metadata = json_text{};
        }
    }
    co_return result<>{};
}

}  // namespace convene
