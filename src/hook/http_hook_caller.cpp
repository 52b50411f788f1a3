// SPDX-License-Identifier: Apache-2.0
// One request, one answer: what it means is read by hook_body.
#include "hook/http_hook_caller.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "hook/hook_body.hpp"
#include "hook/hook_secrets.hpp"
#include "webhook/cause_header.hpp"
#include "webhook/signature.hpp"

namespace convene {

namespace {

bool is_success(int status) { return status >= 200 && status < 300; }

result<hook_verdict> read_reply(const remote_hook& hook, const http_reply& reply) {
    if (!is_success(reply.status)) {
        log(log_level::info,
            "remote_hook_rejected",
            {{"hook", hook.id}, {"status", std::int64_t{reply.status}}});
        return errc::hook_failed;
    }
    // Told of what is done already, it has nothing to decide.
    if (hook.mode == hook_mode::after_delivery) {
        return hook_verdict::allow();
    }
    checked<hook_verdict> verdict = parse_verdict(reply.body);
    if (!verdict) {
        log(log_level::info,
            "remote_hook_answered_nonsense",
            {{"hook", hook.id},
             {"field", verdict.error().field},
             {"reason", word_of(verdict.error().reason)}});
        return errc::invalid_argument;
    }
    return *std::move(verdict);
}

}  // namespace

result<http_call> http_hook_caller::make_call(const remote_hook_call& asked) const {
    const wall_time now = with_.clock->now();
    const auto secrets = open_hook_secrets(*with_.box, *asked.hook, now);
    if (!secrets) {
        return secrets.error();
    }
    http_call call;
    call.method = http_method::post;
    call.url = asked.hook->url;
    call.body = hook_body_of(asked, now).str();
    call.max_reply = max_verdict_bytes;
    const webhook_headers proof = sign_webhook(asked.id, now, call.body, *secrets);
    call.headers.add("content-type", "application/json");
    call.headers.add("user-agent", "Convene");
    call.headers.add(std::string{webhook_id_header}, proof.id);
    call.headers.add(std::string{webhook_timestamp_header}, proof.timestamp);
    call.headers.add(std::string{webhook_signature_header}, proof.signature);
    call.headers.add(std::string{cause_header}, encode_cause(asked.cause, *with_.box, now));
    return call;
}

awaitable<result<hook_verdict>> http_hook_caller::call(remote_hook_call asked, deadline until) {
    result<http_call> made = make_call(asked);
    if (!made) {
        log(log_level::error,
            "remote_hook_secret_unreadable",
            {{"hook", asked.hook->id}, {"error", made.error()}});
        co_return made.error();
    }
    const result<http_reply> reply = co_await with_.send(std::move(*made), until);
    if (!reply) {
        // What a URL or a header lacks is no answer of the hook's.
        const bool is_ours = reply.error() == errc::invalid_argument;
        co_return is_ours ? make_error_code(errc::unavailable) : reply.error();
    }
    co_return read_reply(*asked.hook, *reply);
}

}  // namespace convene
