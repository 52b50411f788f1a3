// SPDX-License-Identifier: Apache-2.0
// Threads, R12: finding the root a reply hangs on.
#include "room/threads.hpp"

#include "base/json_writer.hpp"
#include "room/notice.hpp"

namespace convene {

namespace {

framework_event parent_not_found(const gate_facts& facts, const room_event& event) {
    json_writer data;
    data.begin_object().key("parent").string(event.parent.str()).end_object();
    return make_notice(
        "thread_parent_not_found", facts.context->room.organization, event, data.take()
    );
}

}  // namespace

std::optional<framework_event> place_in_thread(const gate_facts& facts, room_event* event) {
    if (event->parent.empty()) {
        return std::nullopt;
    }
    const room_event* parent = facts.find_accepted(event->parent);
    if (parent == nullptr) {
        framework_event notice = parent_not_found(facts, *event);
        event->parent = event_id{};
        return notice;
    }
    if (!parent->parent.empty()) {
        event->parent = parent->parent;
    }
    return std::nullopt;
}

}  // namespace convene
