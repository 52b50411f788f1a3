// SPDX-License-Identifier: Apache-2.0
// Session place: its room is entered first, then the handler has it.
#include "http/resource/session_place.hpp"

#include <utility>

#include "store/operations/workflows.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

awaitable<handled> enter_and_handle(
    session_route_parts parts,
    session_handler handle,
    std::function<awaitable<or_problem<room_context>>(const route_call* call)> enter,
    route_call call
) {
    auto around = co_await enter(&call);
    if (!around) {
        co_return around.error();
    }
    call.room = *std::move(around);
    auto answered = co_await handle(parts, std::move(call));
    co_return answered;
}

}  // namespace

route run_route(
    const run_place& place,
    http_method method,
    std::string path,
    std::string operation,
    std::string summary,
    session_route_parts parts,
    session_handler handle
) {
    route made;
    made.method = method;
    made.pattern = place.path + path;
    made.operation = operation + place.operation;
    made.summary = std::move(summary);
    made.tag = "agents";
    if (!place.enter) {
        made.who = permission::room_member;
        made.handle = [parts, handle](route_call call) { return handle(parts, std::move(call)); };
        return made;
    }
    made.handle = [parts, handle, enter = place.enter](route_call call) {
        return enter_and_handle(parts, handle, enter, std::move(call));
    };
    return made;
}

awaitable<or_problem<>> check_driver(session_route_parts parts, const route_call* call) {
    if (call->who.role >= user_role::admin) {
        co_return or_problem<>{};
    }
    ops::find_session_work look{call->who.organization, call->room->room.id};
    const auto work = co_await parts.kit->store().run(std::move(look));
    if (!work) {
        co_return problem_of(work.error());
    }
    const std::string& caller = call->who.name();
    const bool is_others = (work->execution && work->execution->execution.initiator != caller) ||
                           (work->design && work->design->created_by != caller);
    if (is_others) {
        co_return forbidden_problem("this needs whom the session works for, or an admin");
    }
    co_return or_problem<>{};
}

}  // namespace convene
