// SPDX-License-Identifier: Apache-2.0
// Drawing operations: rooms, people and engine records; and how a difference is told.
#include "store/random_operations.hpp"

#include <algorithm>
#include <chrono>

#include "store/store_dump.hpp"

namespace convene {

using namespace std::chrono_literals;

namespace {

/// Where the first line begins in which the two differ.
std::size_t start_of_first_different_line(const std::string& one, const std::string& other) {
    const auto differing = std::ranges::mismatch(one, other).in1;
    const auto same = static_cast<std::size_t>(differing - one.begin());
    const std::size_t newline = one.rfind('\n', same == 0 ? 0 : same - 1);
    return newline == std::string::npos ? 0 : newline + 1;
}

/// A few lines: what follows the first difference is mostly its consequence.
std::string lines_from(const std::string& text, std::size_t start) {
    constexpr int shown = 3;
    std::size_t end = start;
    for (int i = 0; i < shown && end != std::string::npos; ++i) {
        end = text.find('\n', end + 1);
    }
    return text.substr(start, end == std::string::npos ? end : end - start);
}

}  // namespace

const std::vector<random_operations::action>& random_operations::actions() {
    using self = random_operations;
    // As often as they are listed: commits and deliveries are what a store does most.
    static const std::vector<action> all{
        &self::commit,
        &self::commit,
        &self::commit,
        &self::commit,
        &self::commit,
        &self::commit,
        &self::commit,
        &self::commit,
        &self::claim,
        &self::finish_set,
        &self::finish_set,
        &self::finish_set,
        &self::finish_set,
        &self::put_results,
        &self::put_results,
        &self::adopt_rows,
        &self::release_rows,
        &self::read_deliveries,
        &self::use_outbound,
        &self::use_outbound,
        &self::mark_hooks,
        &self::create_room,
        &self::create_room,
        &self::create_routed_room,
        &self::update_room,
        &self::update_room,
        &self::delete_room,
        &self::change_bindings,
        &self::change_participants,
        &self::read_rooms,
        &self::route,
        &self::raise_lock_epoch,
        &self::look_up_keys,
        &self::look_up_keys,
        &self::read_events,
        &self::list_events,
        &self::list_events,
        &self::search,
        &self::delete_event,
        &self::move_marker,
        &self::move_marker,
        &self::count_unread,
        &self::dedupe,
        &self::change_people,
        &self::change_tasks,
        &self::change_workers,
        &self::use_notices,
        &self::upload_attachment,
        &self::upload_attachment,
        &self::change_attachments,
        &self::apply_retention,
        &self::apply_retention,
        &self::erase_organization,
        &self::replay_skip,
        &self::operate_lane,
        &self::open_session,
        &self::begin_run,
        &self::begin_run,
        &self::end_run,
        &self::append_to_session,
        &self::append_to_session,
        &self::append_frames,
        &self::append_frames,
        &self::read_runs,
        &self::call_tools,
        &self::queue_turn,
        &self::queue_turn,
        &self::change_turns,
        &self::change_turns,
        &self::read_turns,
        &self::read_turns,
        &self::decide_approvals,
        &self::decide_approvals,
        &self::read_approvals,
        &self::change_secrets,
        &self::change_skills,
        &self::change_skills,
        &self::change_workflows,
        &self::execute,
        &self::work_on_tasks,
        &self::work_on_tasks,
        &self::read_workflows,
        &self::apply_timers,
        &self::apply_timers,
        &self::move_clock,
        &self::move_clock,
        &self::restart,
    };
    return all;
}

void random_operations::step() { (this->*one_of(actions()))(); }

void random_operations::compare(
    std::string_view what, const std::string& expected, const std::string& got
) {
    if (expected == got || !difference_.empty()) {
        return;
    }
    const std::size_t line = start_of_first_different_line(expected, got);
    difference_ = "after" + log_ + "\n" + std::string{what} + " differs.\n-- memory store:\n" +
                  lines_from(expected, line) + "\n-- tested store:\n" + lines_from(got, line);
}

void random_operations::compare_dumps() { compare("the dump", dump_of(oracle_), dump_of(tested_)); }

// -- drawing ----------------------------------------------------------------------------------

organization_id random_operations::organization_of(const room_id& room) {
    const organization_id owner = room.str() == "r3" ? organization_id{"globex"} : acme();
    const organization_id other = room.str() == "r3" ? acme() : organization_id{};
    return happens(97) ? owner : other;
}

incarnation_id random_operations::any_worker() {
    // The last few: most of the earlier ones are dead.
    const std::size_t known = last_worker_ + 1;
    return incarnation_id{
        "worker" + std::to_string(known - below(std::min<std::size_t>(known, 3)))
    };
}

room_timers random_operations::any_timers() {
    room_timers timers;
    if (happens(60)) {
        timers.inactive_after = std::chrono::seconds{60 * (1 + below(60))};
    }
    if (happens(60)) {
        timers.closed_after = std::chrono::seconds{60 * (1 + below(60))};
    }
    return timers;
}

room random_operations::draw_room() {
    const room_id id = any_room();
    room drawn = make_room(id.str(), organization_of(id));
    if (happens(30)) {
        drawn.external_id = numbered("external", 2);
    }
    if (happens(10)) {
        drawn.status = one_up_to(room_status::archived);
    }
    drawn.timers = any_timers();
    return drawn;
}

room_task random_operations::draw_task(const room_id& room) {
    room_task task;
    task.id = task_id{happens(90) ? "task" + std::to_string(++last_item_) : numbered("task", 9)};
    task.room = room;
    task.title = any_key();
    return task;
}

observation random_operations::draw_observation(const room_id& room) {
    observation seen;
    seen.id = observation_id{"observation" + std::to_string(++last_item_)};
    seen.room = room;
    seen.channel = any_channel();
    seen.content = any_key();
    return seen;
}

framework_event random_operations::draw_notice() {
    framework_event notice;
    notice.type = one_of<std::string>({"event_blocked", "delivery_recovered"});
    notice.room = any_room();
    notice.data = json_text::trusted(R"({"n":)" + std::to_string(below(9)) + "}");
    return notice;
}

// -- rooms ------------------------------------------------------------------------------------

void random_operations::create_room() {
    ops::create_room request;
    request.room = draw_room();
    for (std::size_t i = below(3); i > 0; --i) {
        request.bindings.push_back(make_binding(request.room.id.str(), any_channel().str()));
    }
    both(request);
}

void random_operations::create_routed_room() {
    ops::create_routed_room request;
    request.room = draw_room();
    request.channel = any_channel();
    request.bindings = {make_binding(request.room.id.str(), request.channel.str())};
    request.sender = numbered("sender", 2);
    both(request);
}

void random_operations::update_room() {
    ops::update_room request;
    request.id = any_room();
    request.organization = organization_of(request.id);
    if (happens(40)) {
        request.status = happens(60) ? room_status::active : one_up_to(room_status::archived);
    }
    if (happens(30)) {
        request.timers = any_timers();
    }
    if (happens(20)) {
        request.responses = one_up_to(agent_response_policy::addressed_only);
    }
    if (happens(40)) {
        const std::string key = numbered("m", 3);
        request.metadata_patch = json_text::trusted(
            "{\"" + key + "\":" + std::to_string(below(9)) + "}"
        );
        request.metadata_unset = {numbered("m", 3)};
    }
    if (happens(10)) {
        request.expected_config = static_cast<config_version>(below(6));
    }
    both(request);
}

void random_operations::delete_room() {
    if (happens(20)) {
        const room_id id = any_room();
        both(ops::delete_room{organization_of(id), id});
    }
}

void random_operations::change_bindings() {
    const room_id id = any_room();
    if (happens(30)) {
        both(ops::remove_binding{organization_of(id), id, any_channel()});
        return;
    }
    binding bound = make_binding(id.str(), any_channel().str());
    bound.is_muted = happens(50);
    bound.visibility = any_visibility();
    both(ops::put_binding{organization_of(id), bound});
}

void random_operations::change_participants() {
    const room_id id = any_room();
    participant member = make_participant(id.str(), numbered("person", 3));
    member.role = one_up_to(participant_role::bot);
    both(ops::put_participant{organization_of(id), member});
}

void random_operations::read_rooms() {
    const room_id id = any_room();
    both(ops::get_room{organization_of(id), id});
    both(ops::find_organization{id});
    both(ops::load_room_context{organization_of(id), id});
    both(ops::find_room_by_external_id{acme(), numbered("external", 2)});
    ops::list_rooms request;
    if (happens(50)) {
        request.organization = acme();
        request.status = one_up_to(room_status::archived);
    }
    request.after = room_id{happens(50) ? "r0" : ""};
    request.limit = below(4);
    if (happens(50)) {
        request.order = ops::room_order::newest_first;
        request.member = participant_id{numbered("person", 3)};
    }
    both(request);
}

void random_operations::route() {
    both(ops::find_route{acme(), any_channel(), numbered("sender", 2)});
    both(ops::find_rooms_by_channel{acme(), any_channel(), below(4)});
}

void random_operations::apply_timers() {
    ops::apply_due_timers request;
    request.limit = happens(50) ? 256 : 1 + below(2);
    both(request);
}

// -- people -----------------------------------------------------------------------------------

void random_operations::change_people() {
    identity person;
    person.id = identity_id{numbered("identity", 3)};
    person.organization = acme();
    both(ops::create_identity{person});
    const std::string address = numbered("address", 2);
    both(ops::link_address{acme(), identity_id{numbered("identity", 4)}, "sms", address});
    both(ops::resolve_identity{acme(), "sms", numbered("address", 2)});
    both(ops::get_identity{happens(80) ? acme() : organization_id{}, person.id});
}

void random_operations::change_tasks() {
    const room_id id = any_room();
    both(ops::add_task{organization_of(id), draw_task(id)});
    ops::update_task request;
    request.room = id;
    request.organization = organization_of(id);
    request.id = task_id{numbered("task", 9)};
    request.status = one_up_to(task_status::cancelled);
    both(request);
    both(ops::list_tasks{organization_of(id), id, task_status::completed});
}

// -- engine -----------------------------------------------------------------------------------

void random_operations::change_workers() {
    ops::register_worker joining;
    joining.worker.incarnation = happens(80)
                                     ? incarnation_id{"worker" + std::to_string(++last_worker_)}
                                     : any_worker();
    joining.worker.format = any_format();
    both(joining);
    both(ops::set_worker_state{any_worker(), one_up_to(ops::worker_state::dead)});
}

void random_operations::use_notices() {
    both(ops::append_notices{{draw_notice(), draw_notice()}});
    both(ops::list_notices{static_cast<std::int64_t>(below(30)), below(9)});
    both(ops::put_subscription{"webhooks", static_cast<std::int64_t>(below(30))});
    both(ops::get_subscription{"webhooks"});
}

void random_operations::move_clock() {
    const microseconds span = happens(90) ? microseconds{below(3'600'000'000)} : microseconds{25h};
    oracle_.clock().advance(span);
    tested_.clock().advance(span);
}

void random_operations::restart() {
    log_ += " (restart)";
    tested_.restart();
    // Who could prove that no other process lives has recorded it; the oracle is told.
    for (const ops::worker_row& worker : oracle_.run(ops::list_workers{}).value()) {
        both(ops::set_worker_state{worker.incarnation, ops::worker_state::dead});
    }
}

}  // namespace convene
