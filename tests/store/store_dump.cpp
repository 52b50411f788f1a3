// SPDX-License-Identifier: Apache-2.0
// Walks through a store: rooms with all that hangs on them, then what belongs to no room.
#include "store/store_dump.hpp"

#include <optional>

#include "store/operation_traits.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

constexpr std::size_t all = 10'000;

class dump {
   public:
    explicit dump(store_harness& harness) : harness_(harness) {}

    template <class Op>
    typename Op::answer add(Op request) {
        const typename Op::answer answer = harness_.run(std::move(request)).value();
        text_ += detail::operation_name<Op>;
        text_ += ' ' + describe(answer) + '\n';
        return answer;
    }

    /// Adds it if there is any.
    template <class Op>
    bool has(Op request) {
        const result<typename Op::answer> answer = harness_.run(std::move(request));
        text_ += answer ? describe(*answer) + '\n' : "";
        return answer.has_value();
    }

    [[nodiscard]] std::string text() { return std::move(text_); }

   private:
    store_harness& harness_;
    std::string text_;
};

void add_room(dump& into, const room& info) {
    into.add(ops::load_room_context{info.organization, info.id});
    into.add(ops::get_cursor{info.id});
    into.add(ops::list_read_markers{info.organization, info.id, ""});
    into.add(ops::list_tasks{info.organization, info.id, std::nullopt});
    into.add(ops::list_observations{info.organization, info.id});
    into.add(ops::list_attachments{info.organization, info.id, {}, all});
    into.add(ops::get_retention{info.organization, info.id});
    if (into.has(ops::get_session{info.organization, info.id})) {
        into.add(ops::list_tool_calls{info.organization, info.id, all});
        into.add(ops::list_turns{info.organization, info.id, std::nullopt, all});
        ops::list_approvals approvals;
        approvals.organization = info.organization;
        approvals.room = info.id;
        approvals.limit = all;
        into.add(approvals);
        for (const auto& run : into.add(ops::list_runs{info.organization, info.id, all})) {
            into.add(ops::list_frames{info.organization, run.id, -1, all});
        }
    }
    if (into.has(ops::get_execution{info.organization, info.id})) {
        into.add(ops::list_invocations{info.organization, info.id, {}, all});
    }
    // Events with their rows.
    into.add(ops::load_lane{info.id, event_index{0}, all});
}

}  // namespace

std::string dump_of(store_harness& harness) {
    dump into{harness};
    ops::list_rooms rooms;
    rooms.limit = all;
    for (const room& info : into.add(rooms)) {
        add_room(into, info);
    }
    into.add(ops::find_orphaned_rooms{room_id{}, all});
    into.add(ops::list_skips{std::nullopt, 0, all});
    into.add(ops::take_due_outbound{all});
    into.add(ops::list_outbound_addresses{});
    into.add(ops::list_skills{});
    for (const organization& one : into.add(ops::list_organizations{})) {
        into.add(ops::list_secrets{one.id});
    }
    into.add(ops::count_turns{});
    into.add(ops::list_workers{});
    into.add(ops::list_notices{0, all});
    into.add(ops::read_figures{});
    return into.text();
}

}  // namespace convene
