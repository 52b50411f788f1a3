// SPDX-License-Identifier: Apache-2.0
// Wake routes: what is said later waits as a turn, and is taken back as long as it waits.
#include "http/resource/wake_routes.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "agent/session/turn_order.hpp"
#include "agent/session/wake_tool.hpp"
#include "base/uuid.hpp"
#include "http/audit.hpp"
#include "http/room_access.hpp"
#include "http/view/words.hpp"
#include "store/operations/sessions.hpp"
#include "store/session_rules.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_text = 20'000;

const schema& wake_schema() {
    static const schema made = schema::object(
        "Wake",
        {required("id", schema::id()),
         required("at", schema::time(), "It does not begin sooner"),
         required("text", schema::text(), "What is said to the agent then"),
         required("acting_for", schema::text(), "By whose right it acts"),
         required("set_at", schema::time())}
    );
    return made;
}

void write_wake(json_writer& out, const session_turn& shown) {
    const result<turn_order> order = read_turn_order(shown.input);
    const bool says_something = order && !order->said.messages.empty();
    out.begin_object();
    out.key("acting_for").string(shown.acting_for);
    write_time(out.key("at"), shown.not_before);
    out.key("id").string(shown.id.str());
    write_time(out.key("set_at"), shown.queued_at);
    out.key("text").string(says_something ? order->said.messages.front().text : std::string{});
    out.end_object();
}

struct wake_time {
    std::optional<wall_time> at;
    std::chrono::seconds in{0};
};

/// One of the two. *Errors*: 422.
or_problem<wake_time> read_time(const route_call& call, wall_time now) {
    const auto seconds = call.body->integer("in_seconds");
    const auto text = call.body->text("at");
    if (seconds && text) {
        return validation_problem("at", boundary_reason::not_allowed_here);
    }
    if (!text) {
        return seconds ? or_problem<wake_time>{wake_time{{}, std::chrono::seconds{*seconds}}}
                       : validation_problem("in_seconds", boundary_reason::missing_field);
    }
    const result<wall_time> at = parse_rfc3339(*text);
    if (!at) {
        return validation_problem("at", boundary_reason::malformed);
    }
    if (*at <= now || *at > now + std::chrono::seconds{longest_wake_seconds}) {
        return validation_problem("at", boundary_reason::out_of_range);
    }
    return wake_time{*at};
}

awaitable<handled> set_wake(session_route_parts parts, route_call call) {
    const or_problem<> driver = co_await check_driver(parts, &call);
    if (!driver) {
        co_return driver.error();
    }
    const auto when = read_time(call, parts.clock->now());
    if (!when) {
        co_return when.error();
    }
    session_turn turn;
    turn.id = id_generator{*parts.clock, *parts.random}.next<turn_id>();
    turn.room = call.room->room.id;
    turn.organization = call.who.organization;
    turn.kind = turn_kind::wake;
    turn.acting_for = call.who.name();
    turn.not_before = when->at.value_or(wall_time{});
    turn_order order = order_that_tells(turn.room, turn.id.str(), *call.body->text("text"));
    order.participant = participant_id{call.who.user};
    if (call.who.is_user()) {
        order.channel = channel_of(call.who, *call.room);
    }
    turn.input = write_turn_order(order);
    const auto queued = co_await parts.sessions->queue(std::move(turn), when->in);
    if (!queued) {
        co_return problem_of(queued.error());
    }
    json_writer out;
    write_wake(out, *queued);
    co_return json_answer(201, out.take());
}

awaitable<handled> list_wakes(session_route_parts parts, route_call call) {
    ops::list_turns request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.status = turn_status::queued;
    request.limit = static_cast<std::size_t>(max_waiting_turns);
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object().key("wakes").begin_array();
    for (const session_turn& turn : *found) {
        if (turn.kind == turn_kind::wake) {
            write_wake(out, turn);
        }
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> take_wake_back(session_route_parts parts, route_call call) {
    const or_problem<> driver = co_await check_driver(parts, &call);
    if (!driver) {
        co_return driver.error();
    }
    ops::cancel_wake request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.turn = turn_id{call.at("turn_id")};
    request.audit = audit_of(call, "wake.cancelled", call.at("turn_id"));
    const auto removed = co_await parts.sessions->cancel_wake(std::move(request));
    if (!removed && removed.error() == errc::room_changed) {
        co_return conflict_problem(
            "WAKE_BEGUN", "it has begun or is over: end its run with agent/cancel"
        );
    }
    if (!removed) {
        co_return problem_of(removed.error());
    }
    co_return http_answer{no_content()};
}

}  // namespace

std::vector<route> wake_routes(session_route_parts parts, const run_place& place) {
    std::vector<route> routes;

    route setting = run_route(
        place,
        http_method::post,
        "/agent/wakes",
        "set_wake",
        "Says something to the agent later, whether or not anybody reads",
        parts,
        set_wake
    );
    setting.body = schema::input(
        "NewWake",
        {optional("in_seconds", schema::integer({1, longest_wake_seconds}), "This, or `at`"),
         optional("at", schema::time(), "Ahead, by a year at most"),
         required("text", schema::text({1, longest_text}), "What is said then")}
    );
    setting.answers = {{201, "It waits", wake_schema()}};
    routes.push_back(std::move(setting));

    route listing = run_route(
        place,
        http_method::get,
        "/agent/wakes",
        "list_wakes",
        "What will be said to the agent later, the latest set first",
        parts,
        list_wakes
    );
    listing.answers = {
        {200,
         "They wait",
         schema::object("WakeList", {required("wakes", schema::list(wake_schema()))})},
    };
    routes.push_back(std::move(listing));

    route taking = run_route(
        place,
        http_method::delete_,
        "/agent/wakes/{turn_id}",
        "cancel_wake",
        "Takes back what has not begun",
        parts,
        take_wake_back
    );
    taking.answers = {{204, "It is gone", std::nullopt, ""}};
    routes.push_back(std::move(taking));
    return routes;
}

}  // namespace convene
