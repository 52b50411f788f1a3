// SPDX-License-Identifier: Apache-2.0
// Writes everything a store answers as text, every field: equal texts are equal answers, and a
// difference reads.
#pragma once

#include "convene/delivery.hpp"
#include "convene/error.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "store/operations/approvals.hpp"
#include "store/operations/attachments.hpp"
#include "store/operations/deliveries.hpp"
#include "store/operations/engine.hpp"
#include "store/operations/operating.hpp"
#include "store/operations/retention.hpp"
#include "store/operations/rooms.hpp"
#include "store/operations/secrets.hpp"
#include "store/operations/sessions.hpp"
#include "store/operations/skills.hpp"
#include "store/operations/timeline.hpp"
#include "store/operations/workflows.hpp"

namespace convene {

/// A flag is 0 or 1.
template <std::integral Number>
[[nodiscard]] std::string describe(Number value) {
    return std::to_string(value);
}

[[nodiscard]] std::string describe(std::string_view value);
[[nodiscard]] std::string describe(double value);
[[nodiscard]] std::string describe(std::monostate value);
[[nodiscard]] std::string describe(wall_time value);
[[nodiscard]] std::string describe(event_index value);
[[nodiscard]] std::string describe(error_code value);
[[nodiscard]] std::string describe(const json_text& value);
[[nodiscard]] std::string describe(const visibility& value);

[[nodiscard]] std::string describe(const room& value);
[[nodiscard]] std::string describe(const room_context& value);
[[nodiscard]] std::string describe(const retry_policy& value);
[[nodiscard]] std::string describe(const rate_limit& value);
[[nodiscard]] std::string describe(const binding& value);
[[nodiscard]] std::string describe(const participant& value);
[[nodiscard]] std::string describe(const identity& value);
[[nodiscard]] std::string describe(const room_task& value);
[[nodiscard]] std::string describe(const observation& value);
[[nodiscard]] std::string describe(const room_event& value);

[[nodiscard]] std::string describe(const delivery_outcome& value);
[[nodiscard]] std::string describe(const delivery_row& value);
[[nodiscard]] std::string describe(const delivery_cursor& value);
[[nodiscard]] std::string describe(const delivery_skip& value);
[[nodiscard]] std::string describe(const outbound_item& value);
[[nodiscard]] std::string describe(const framework_event& value);

[[nodiscard]] std::string describe(const ops::key_hit& value);
[[nodiscard]] std::string describe(const ops::load_room_head::answer& value);
[[nodiscard]] std::string describe(const ops::commit::answer& value);
[[nodiscard]] std::string describe(const ops::thread_summary& value);
[[nodiscard]] std::string describe(const ops::read_marker& value);
[[nodiscard]] std::string describe(const ops::dedupe_event_indices::answer& value);
[[nodiscard]] std::string describe(const ops::apply_due_timers::answer& value);
[[nodiscard]] std::string describe(const ops::load_lane::entry& value);
[[nodiscard]] std::string describe(const ops::finish_set::answer& value);
[[nodiscard]] std::string describe(const ops::count_unread::answer& value);
[[nodiscard]] std::string describe(const ops::find_orphaned_rooms::item& value);
[[nodiscard]] std::string describe(const ops::list_outbound_addresses::item& value);
[[nodiscard]] std::string describe(const ops::worker_row& value);
[[nodiscard]] std::string describe(const ops::store_figures& value);  ///< without the layout's
                                                                      ///< version

[[nodiscard]] std::string describe(const attachment& value);
[[nodiscard]] std::string describe(const ops::begin_attachment::outcome& value);
[[nodiscard]] std::string describe(const ops::get_attachment::found& value);
[[nodiscard]] std::string describe(const ops::erase_attachments::outcome& value);
[[nodiscard]] std::string describe(const retention_policy& value);
[[nodiscard]] std::string describe(const ops::get_retention::found& value);
[[nodiscard]] std::string describe(const ops::find_retention_due::item& value);
[[nodiscard]] std::string describe(const ops::find_retention_due::outcome& value);
[[nodiscard]] std::string describe(const ops::apply_retention::outcome& value);
[[nodiscard]] std::string describe(const ops::continue_erasure::outcome& value);
[[nodiscard]] std::string describe(const ops::replay_skip::outcome& value);
[[nodiscard]] std::string describe(const ops::reopened_rows& value);
[[nodiscard]] std::string describe(const ops::set_lane_state::outcome& value);
[[nodiscard]] std::string describe(const ops::list_paused_lanes::item& value);
[[nodiscard]] std::string describe(const organization& value);

[[nodiscard]] std::string describe(const agent_session& value);
[[nodiscard]] std::string describe(const session_state& value);
[[nodiscard]] std::string describe(const agent_run_record& value);
[[nodiscard]] std::string describe(const run_frame& value);
[[nodiscard]] std::string describe(const tool_intent& value);
[[nodiscard]] std::string describe(const session_turn& value);
[[nodiscard]] std::string describe(const approval& value);
[[nodiscard]] std::string describe(const ops::decide_approvals::answer& value);
[[nodiscard]] std::string describe(const ops::find_expired_approvals::item& value);
[[nodiscard]] std::string describe(const ops::expire_approvals::answer& value);
[[nodiscard]] std::string describe(const ops::get_session::answer& value);
[[nodiscard]] std::string describe(const ops::begin_run::answer& value);
[[nodiscard]] std::string describe(const ops::append_state::answer& value);
[[nodiscard]] std::string describe(const ops::count_turns::answer& value);
[[nodiscard]] std::string describe(const ops::list_frames::answer& value);

[[nodiscard]] std::string describe(const skill& value);
[[nodiscard]] std::string describe(const skill_source& value);
[[nodiscard]] std::string describe(const named_secret& value);
[[nodiscard]] std::string describe(const secret_user& value);
[[nodiscard]] std::string describe(const listed_secret& value);
[[nodiscard]] std::string describe(const ops::put_secret::answer& value);
[[nodiscard]] std::string describe(const ops::delete_secret::answer& value);

[[nodiscard]] std::string describe(const task_template& value);
[[nodiscard]] std::string describe(const workflow& value);
[[nodiscard]] std::string describe(const workflow_version& value);
[[nodiscard]] std::string describe(const workflow_execution& value);
[[nodiscard]] std::string describe(const execution_task& value);
[[nodiscard]] std::string describe(const task_verdict& value);
[[nodiscard]] std::string describe(const tool_invocation& value);
[[nodiscard]] std::string describe(const notification& value);
[[nodiscard]] std::string describe(const ops::numbered_notification& value);
[[nodiscard]] std::string describe(const ops::get_execution::answer& value);
[[nodiscard]] std::string describe(const ops::find_session_work::answer& value);
[[nodiscard]] std::string describe(const ops::change_task::answer& value);

template <class Tag>
[[nodiscard]] std::string describe(const text_id<Tag>& value) {
    return describe(std::string_view{value.str()});
}

/// Enumerators are described by their frozen numbers.
template <class Enumeration>
    requires std::is_enum_v<Enumeration>
[[nodiscard]] std::string describe(Enumeration value) {
    return std::to_string(static_cast<int>(value));
}

template <class Period>
[[nodiscard]] std::string describe(std::chrono::duration<std::int64_t, Period> value) {
    return std::to_string(value.count());
}

template <class T>
[[nodiscard]] std::string describe(const std::optional<T>& value) {
    return value ? describe(*value) : "unset";
}

/// One element per line: a difference in a list shows which.
template <class T>
[[nodiscard]] std::string describe(const std::vector<T>& values) {
    std::string text = "[";
    for (const T& value : values) {
        text += "\n  " + describe(value);
    }
    return text + "]";
}

template <class T>
[[nodiscard]] std::string describe(const result<T>& value) {
    return value ? describe(*value) : "error " + describe(value.error());
}

}  // namespace convene
