// SPDX-License-Identifier: Apache-2.0
// Which policy holds where two do, and what has outlived one.
#include "store/retention_rules.hpp"

#include <algorithm>

#include "base/json_writer.hpp"

namespace convene {

namespace {

std::optional<std::int32_t> shorter(
    const std::optional<std::int32_t>& a, const std::optional<std::int32_t>& b
) {
    return a && b ? std::min(a, b) : a ? a : b;
}

}  // namespace

retention_policy stricter(const retention_policy& a, const retention_policy& b) {
    return {
        shorter(a.events_max_age_days, b.events_max_age_days),
        shorter(a.attachments_max_age_days, b.attachments_max_age_days),
        shorter(a.room_delete_after_closed_days, b.room_delete_after_closed_days),
    };
}

std::optional<wall_time> oldest_kept(const std::optional<std::int32_t>& days, wall_time now) {
    return days ? std::optional{now - std::chrono::days{*days}} : std::nullopt;
}

bool has_outlived(wall_time at, const std::optional<std::int32_t>& days, wall_time now) {
    const std::optional<wall_time> oldest = oldest_kept(days, now);
    return oldest && at <= *oldest;
}

bool is_to_be_deleted(const room& info, const retention_policy& policy, wall_time now) {
    return !is_open(info.status) && info.closed_at &&
           has_outlived(*info.closed_at, policy.room_delete_after_closed_days, now);
}

framework_event retention_notice(const room& of, const retention_work& done) {
    json_writer out;
    out.begin_object();
    if (done.is_room_deleted) {
        out.key("room_deleted").boolean(true);
    }
    if (done.events > 0) {
        out.key("from_index").integer(done.from.value());
        out.key("to_index").integer(done.to.value());
    }
    out.key("events").integer(done.events);
    out.key("attachments").integer(done.attachments);
    out.end_object();
    framework_event notice;
    notice.type = "retention_applied";
    notice.organization = of.organization;
    notice.room = of.id;
    notice.data = out.take();
    return notice;
}

}  // namespace convene
