// SPDX-License-Identifier: Apache-2.0
// The router: the checks in their order, and the log line of every request.
#include "http/router.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "http/reading.hpp"
#include "http/room_access.hpp"

namespace convene {

namespace {

constexpr std::string_view unknown_route = "unknown";

bool is_safe(http_method method) {
    return method == http_method::get || method == http_method::head ||
           method == http_method::options;
}

/// Letters that can do no harm in a log or a header.
bool is_request_id(std::string_view text) {
    return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.' || c == ':';
    });
}

problem method_problem(std::vector<http_method> methods) {
    problem what;
    what.status = 405;
    what.code = "METHOD_NOT_ALLOWED";
    what.detail = "this path has other methods; `Allow` names them";
    what.allow = allowed_methods(std::move(methods));
    return what;
}

problem draining_problem() {
    problem what;
    what.status = 503;
    what.code = "DRAINING";
    what.detail = "this server is stopping; another one takes the request";
    what.is_retryable = true;
    what.retry_after = std::chrono::seconds{1};
    return what;
}

problem unauthenticated_problem() {
    problem what;
    what.status = 401;
    what.code = "UNAUTHENTICATED";
    what.detail = "sign in, or send `Authorization: Bearer` with a token";
    return what;
}

problem rate_problem(std::chrono::seconds wait) {
    problem what;
    what.status = 429;
    what.code = "RATE_LIMITED";
    what.detail = "too many requests; wait before the next";
    what.is_retryable = true;
    what.retry_after = wait;
    return what;
}

or_problem<> answer_of(std::optional<std::chrono::seconds> wait) {
    if (wait) {
        return rate_problem(*wait);
    }
    return {};
}

int status_of(const http_answer& answer) {
    struct {
        int operator()(const http_response& whole) const { return whole.status; }

        int operator()(const http_stream& stream) const { return stream.status; }

        int operator()(const websocket_upgrade&) const { return 101; }
    } status;

    return std::visit(status, answer);
}

void add_common_headers(http_answer* answer, const std::string& request_id) {
    std::visit(
        [&](auto& one) {
            one.headers.set("x-request-id", request_id);
            one.headers.set("x-content-type-options", "nosniff");
            one.headers.set("referrer-policy", "no-referrer");
            if (!one.headers.find("cache-control")) {
                one.headers.set("cache-control", "no-store");
            }
        },
        *answer
    );
}

/// The cookie of a session that was prolonged, unless the handler has set or removed it.
void add_cookie(http_answer* answer, const std::string& cookie) {
    std::visit(
        [&](auto& one) {
            if (!cookie.empty() && !one.headers.find("set-cookie")) {
                one.headers.set("set-cookie", cookie);
            }
        },
        *answer
    );
}

/// HEAD is GET without the body; a stream is not started for it.
http_answer without_body(http_answer answer) {
    return std::visit(
        [](auto& one) {
            if constexpr (requires { one.length; }) {
                if (one.length) {
                    return http_answer{std::move(one)};
                }
            }
            http_response bare;
            if constexpr (requires { one.status; }) {
                bare.status = one.status;
            }
            bare.headers = std::move(one.headers);
            return http_answer{std::move(bare)};
        },
        answer
    );
}

or_problem<> check_role(const principal& who, permission needed) {
    switch (needed) {
        case permission::operator_:
            if (who.role < user_role::operator_) {
                return forbidden_problem("this needs the role operator");
            }
            return {};
        case permission::admin:
            if (who.role < user_role::admin) {
                return forbidden_problem("this needs the role admin");
            }
            return {};
        default:
            return {};
    }
}

}  // namespace

router::router(router_parts parts, const rate_limits& rates)
    : routes_(*parts.routes),
      kit_(*parts.kit),
      authenticator_(*parts.who),
      ids_(
          parts.clock != nullptr ? *parts.clock : system_wall_clock(),
          parts.random != nullptr ? *parts.random : system_random()
      ),
      user_rates_(rates.users),
      token_rates_(rates.tokens) {}

http_handler router::handler() {
    return [this](http_request request) { return answer(std::move(request)); };
}

bool router::takes_bytes(http_method method, std::string_view path) const {
    const route* const found = routes_.find(method, path).found;
    return found != nullptr && found->takes == body_kind::bytes;
}

awaitable<std::optional<http_response>> router::refuse_body(http_request head) {
    auto call = std::make_shared<route_call>();
    call->request_id = request_id_for(head);
    const std::string path = head.path;
    call->request = std::move(head);
    or_problem<> step = find_route(call.get());
    if (step) {
        step = co_await admit(call);
    }
    if (step) {
        step = read_path(call.get());
    }
    if (step) {
        step = co_await enter_room(call);
    }
    if (step) {
        co_return std::nullopt;
    }
    http_answer refusal = answer_of(step.error(), path, call->request_id);
    add_common_headers(&refusal, call->request_id);
    co_return std::get<http_response>(std::move(refusal));
}

std::string router::request_id_for(const http_request& request) {
    const std::string_view sent = request.headers.find("x-request-id").value_or("");
    return is_request_id(sent) ? std::string{sent} : ids_.next<event_id>().str();
}

awaitable<http_answer> router::answer(http_request request) {
    const coroutine_context context = co_await this_context();
    const monotonic_time started = context.where->now();

    auto call = std::make_shared<route_call>();
    call->request_id = request_id_for(request);
    call->trace_parent = trace_parent_of(request.headers);
    call->request = std::move(request);
    const http_method method = call->request.method;
    const std::string path = call->request.path;
    const std::string peer = call->request.peer;

    handled outcome = co_await dispatch(call);
    const std::string code = outcome ? std::string{} : outcome.error().code;
    http_answer answered = outcome
                               ? *std::move(outcome)
                               : http_answer{answer_of(outcome.error(), path, call->request_id)};
    add_common_headers(&answered, call->request_id);
    add_cookie(&answered, call->who.set_cookie);
    if (method == http_method::head) {
        answered = without_body(std::move(answered));
    }

    const auto took = std::chrono::duration_cast<microseconds>(context.where->now() - started);
    const std::string_view pattern = call->matched == nullptr ? unknown_route
                                                              : call->matched->pattern;
    const int status = status_of(answered);
    metrics_.count(word_of(method), pattern, status, took);
    log(status >= 500 ? log_level::warn : log_level::info,
        "http.request",
        {{"request_id", call->request_id},
         {"trace_parent", call->trace_parent},
         {"method", word_of(method)},
         {"route", pattern},
         {"status", status},
         {"code", code},
         {"organization", call->who.organization},
         {"peer", peer},
         {"microseconds", took.count()}});
    co_return answered;
}

or_problem<> router::find_route(route_call* call) const {
    route_table::match found = routes_.find(call->request.method, call->request.path);
    if (found.methods.empty()) {
        return not_found_problem();
    }
    if (found.found == nullptr) {
        return method_problem(std::move(found.methods));
    }
    call->matched = found.found;
    call->path = std::move(found.path);
    return {};
}

or_problem<> router::check_rate(const std::string& caller, monotonic_time now) {
    return answer_of(user_rates_.take(caller, now));
}

or_problem<> router::check_rate(const principal& who, monotonic_time now) {
    rate_gate& gate = who.is_user() ? user_rates_ : token_rates_;
    return answer_of(gate.take(who.rate_key(), now));
}

awaitable<handled> router::dispatch(std::shared_ptr<route_call> call) {
    or_problem<> step = find_route(call.get());
    if (!step) {
        if (step.error().status == 405 && call->request.method == http_method::options) {
            http_response options = no_content();
            options.headers.set("allow", step.error().allow);
            co_return options;
        }
        co_return step.error();
    }
    step = co_await admit(call);
    if (!step) {
        co_return step.error();
    }
    for (const auto read : {read_path, read_parameters, read_body}) {
        step = read(call.get());
        if (!step) {
            co_return step.error();
        }
    }
    step = co_await enter_room(call);
    if (!step) {
        co_return step.error();
    }
    // The handler gets what the log does not need any more.
    route_call handed = std::move(*call);
    call->matched = handed.matched;
    call->request_id = handed.request_id;
    call->trace_parent = handed.trace_parent;
    call->who.organization = handed.who.organization;
    call->who.set_cookie = handed.who.set_cookie;
    const route_handler& handle = handed.matched->handle;
    handled outcome = co_await handle(std::move(handed));
    co_return outcome;
}

awaitable<or_problem<>> router::admit(std::shared_ptr<route_call> call) {
    const coroutine_context context = co_await this_context();
    const route& matched = *call->matched;
    if (is_draining_ && !is_safe(call->request.method)) {
        co_return draining_problem();
    }
    if (matched.who == permission::anyone) {
        if (matched.rate == rate_rule::free) {
            co_return or_problem<>{};
        }
        co_return check_rate("peer\n" + call->request.peer, context.where->now());
    }

    http_request head = call->request;
    head.body.clear();
    auto known = co_await authenticator_.authenticate(std::move(head));
    if (!known) {
        if (known.error() == errc::not_authorized) {
            // Guessing costs the guesser.
            const or_problem<> rate = check_rate(
                "refused\n" + call->request.peer, context.where->now()
            );
            co_return rate ? or_problem<>{unauthenticated_problem()} : rate;
        }
        co_return problem_of(known.error());
    }
    call->who = *std::move(known);
    if (!is_safe(call->request.method) && call->who.csrf == csrf_state::missing) {
        co_return forbidden_problem("send `X-CSRF-Token` with the value that `GET auth/me` gives");
    }
    if (matched.rate == rate_rule::counted) {
        const or_problem<> rate = check_rate(call->who, context.where->now());
        if (!rate) {
            co_return rate;
        }
    }
    co_return check_role(call->who, matched.who);
}

awaitable<or_problem<>> router::enter_room(std::shared_ptr<route_call> call) {
    const permission needed = call->matched->who;
    if (needed != permission::room_member && needed != permission::room_manager) {
        co_return or_problem<>{};
    }
    room_id room{call->at("room_id")};
    if (call->matched->room == room_reading::as_known) {
        const auto known = kit_.find_known_room(call->who.organization, room);
        if (known != nullptr && may_see_room(call->who, *known)) {
            call->room = *known;
            co_return or_problem<>{};
        }
    }
    or_problem<room_context> around = co_await read_seen_room(&kit_, call->who, std::move(room));
    if (!around) {
        co_return around.error();
    }
    if (needed == permission::room_manager && !may_manage_room(call->who, *around)) {
        co_return forbidden_problem("this needs an owner of the room, or an operator");
    }
    call->room = *std::move(around);
    co_return or_problem<>{};
}

}  // namespace convene
