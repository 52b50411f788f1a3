// SPDX-License-Identifier: Apache-2.0
// Framework events of rooms and deliveries.
#include "room/delivery_notices.hpp"

#include <string_view>

#include "base/json_writer.hpp"
#include "room/notice.hpp"

namespace convene {

namespace {

json_text range_data(
    event_index from, event_index to, std::string_view reason, const incarnation_id& owner
) {
    json_writer out;
    out.begin_object();
    out.key("from_index").integer(from.value());
    out.key("to_index").integer(to.value());
    if (!reason.empty()) {
        out.key("reason").string(reason);
    }
    out.key("owner").string(owner.str());
    out.end_object();
    return out.take();
}

}  // namespace

framework_event make_delivery_skipped(
    const organization_id& organization, const delivery_skip& skip
) {
    framework_event notice;
    notice.type = "delivery_skipped";
    notice.organization = organization;
    notice.room = skip.room;
    notice.data = range_data(skip.from, skip.to, skip.reason, skip.owner);
    return notice;
}

framework_event make_bound_skipped(
    const organization_id& organization, const room_event& event, const delivery_row& row
) {
    json_writer out;
    out.begin_object();
    out.key("from_index").integer(event.index.value());
    out.key("to_index").integer(event.index.value());
    out.key("reason").string("bound");
    out.key("owner").string(event.committed_by.str());
    out.key("channel_id").string(row.channel.str());
    out.end_object();
    return make_notice("delivery_skipped", organization, event, out.take());
}

framework_event make_delivery_recovered(
    const organization_id& organization, const room_event& event, const incarnation_id& owner
) {
    return make_notice(
        "delivery_recovered", organization, event, range_data(event.index, event.index, {}, owner)
    );
}

framework_event make_room_refused(
    const organization_id& organization, const room_event& event, const char* reason
) {
    json_writer out;
    out.begin_object();
    out.key("reason").string(reason);
    out.end_object();
    return make_notice("room_refused_event", organization, event, out.take());
}

framework_event make_process_timeout(const organization_id& organization, const room_event& event) {
    return make_notice("process_timeout", organization, event);
}

framework_event make_partial_failure(
    const organization_id& organization,
    const room_event& event,
    std::size_t delivered,
    std::size_t failed
) {
    json_writer out;
    out.begin_object();
    out.key("delivered").integer(static_cast<std::int64_t>(delivered));
    out.key("failed").integer(static_cast<std::int64_t>(failed));
    out.end_object();
    return make_notice("broadcast_partial_failure", organization, event, out.take());
}

}  // namespace convene
