// SPDX-License-Identifier: Apache-2.0
// API client: one try, and when to try again.
#include "app/remote/api_client.hpp"

#include "convene/wait.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/remote/retry_pace.hpp"
#include "base/assert.hpp"
#include "base/json_scanner.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

/// Of one try. A server waits for deliveries within it, and answers that they go on.
constexpr std::chrono::minutes longest_answer{2};

/// A page of events; who asks makes it smaller where it does not fit.
constexpr std::size_t most_reply_bytes = std::size_t{32} << 20U;

/// However many rooms are imported at once: the files that a process may open are few.
constexpr std::size_t most_connections = 64;

http_client_settings settings_for(const server_address& server) {
    http_client_settings settings;
    // The user named the server: wherever it is, it is meant.
    const result<> allowed = settings.policy.allow_range("::/0");
    CONVENE_ASSERT(allowed, "the range of all addresses is no range");
    settings.ca_file = server.ca_file;
    settings.most_connections = most_connections;
    return settings;
}

/// What the server asks to wait before the same is asked again, where it may be.
std::optional<milliseconds> may_ask_again(
    const api_request& asked, const result<api_answer>& answer
) {
    if (!answer) {
        const error_code code = answer.error();
        const bool has_not_arrived = code == errc::unavailable || code == errc::connection_lost;
        const bool is_unknown = code == errc::outcome_unknown || code == errc::timed_out;
        const bool may = has_not_arrived || (is_unknown && asked.lost == when_lost::repeat);
        return may ? std::optional{milliseconds{0}} : std::nullopt;
    }
    if (!answer->problem || !is_passing(*answer->problem) || asked.lost == when_lost::give_up) {
        return std::nullopt;
    }
    return answer->problem->retry_after.value_or(std::chrono::seconds{0});
}

}  // namespace

failure transport_failure(error_code code, const server_address& server) {
    const auto about = [&server](std::string_view what) {
        return fmt::format("the server (CONVENE_URL) {}: {}", what, server.url);
    };
    failure why{exit_code::database_problem, "", "`convene doctor` looks at the server"};
    if (code.category() == convene_category()) {
        why.reason = name_of(static_cast<errc>(code.value()));
    }
    if (code == errc::unavailable) {
        why.text = about("can't be reached");
        why.remedy = "is it running, and is the address right? --retry-for waits longer for it";
    } else if (code == errc::connection_lost || code == errc::outcome_unknown) {
        why.text = about("gave no answer: what was asked for may have been done");
        why.remedy = "try again; with the same --key what was stored is recognised";
    } else if (code == errc::connection_closed) {
        why.text = about("ended the connection");
    } else if (code == errc::timed_out) {
        why.text = about("does not answer in time");
    } else if (code == errc::io_failed) {
        why.ends_with = exit_code::usage;
        why.text = about(
            "is not trusted: its certificate is not for this address, or by an "
            "authority that is not known here"
        );
        why.remedy = "name the authority's certificate with --ca-file";
    } else if (code == errc::invalid_argument) {
        why.ends_with = exit_code::usage;
        why.text = about("has an address or a token that can't be sent");
        why.remedy = "give http://HOST[:PORT] or https://HOST[:PORT] with --url";
    } else {
        why.text = about(code.message());
    }
    return why;
}

failure unknown_answer(const std::string& field, const server_address& server) {
    failure why{
        exit_code::database_problem,
        fmt::format("the server's answer is not understood: {}", server.url),
        "does --url lead to a Convene server? `convene version` shows which versions meet"
    };
    if (!field.empty()) {
        why.text += fmt::format(" (field '{}')", field);
    }
    why.reason = name_of(errc::corrupt_data);
    return why;
}

api_client::api_client(loop& where, server_address server)
    : server_(std::move(server)), random_(system_random()), http_(where, settings_for(server_)) {}

awaitable<outcome<api_answer>> api_client::ask(api_request request) {
    const coroutine_context context = co_await this_context();
    retry_pace pace{server_.retry_for};
    for (;;) {
        auto answer = co_await try_once(&request);
        const auto at_least = may_ask_again(request, answer);
        const auto wait = at_least ? pace.failed(context.where->now(), *at_least, random_)
                                   : std::nullopt;
        if (!wait && answer) {
            co_return std::move(*answer);
        }
        if (!wait) {
            co_return answer.error() == errc::corrupt_data
                ? unknown_answer("", server_)
                : transport_failure(answer.error(), server_);
        }
        log(log_level::debug, "server_asked_again", {{"after_ms", wait->count()}});
        const result<> slept = co_await sleep_for(*wait);
        if (!slept) {
            co_return transport_failure(slept.error(), server_);
        }
    }
}

awaitable<result<api_answer>> api_client::try_once(const api_request* request) {
    http_call call = call_to(request->path);
    call.method = request->method;
    call.body = request->body;
    if (!call.body.empty()) {
        call.headers.add("content-type", "application/json");
    }
    if (!request->idempotency_key.empty()) {
        call.headers.add("idempotency-key", request->idempotency_key);
    }
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + longest_answer};
    const auto reply = co_await http_.send(std::move(call), until);
    if (!reply) {
        co_return reply.error();
    }
    api_answer answer;
    if (reply->status < 200 || reply->status >= 300) {
        answer.problem = read_problem(reply->status, reply->body);
        co_return answer;
    }
    if (reply->body.empty()) {
        answer.body = "{}";
        co_return answer;
    }
    auto scanned = scan_json(
        reply->body, "", boundary_limits::of_stored_json(), text_policy::reject
    );
    if (!scanned) {
        co_return errc::corrupt_data;
    }
    answer.body = std::move(scanned->canonical);
    co_return answer;
}

awaitable<result<std::unique_ptr<http_reply_stream>>> api_client::open_stream(
    std::string path, std::string last_id
) {
    http_call call = call_to(path);
    call.headers.add("accept", "text/event-stream");
    if (!last_id.empty()) {
        call.headers.add("last-event-id", std::move(last_id));
    }
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + longest_answer};
    auto opened = co_await http_.open(std::move(call), until);
    co_return opened;
}

http_call api_client::call_to(const std::string& path) const {
    http_call call;
    call.method = http_method::get;
    call.url = server_.url + path;
    call.max_reply = most_reply_bytes;
    if (!server_.token.empty()) {
        call.headers.add("authorization", "Bearer " + server_.token);
    }
    return call;
}

}  // namespace convene
