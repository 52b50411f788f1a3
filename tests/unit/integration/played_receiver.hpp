// SPDX-License-Identifier: Apache-2.0
// The other end of webhooks, played by a test: it keeps what it got, and answers as it is told.
#pragma once

#include "convene/wait.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_sender.hpp"
#include "webhook/signature.hpp"

namespace convene {

class played_receiver {
   public:
    /// What each URL answers; a URL that is not here answers 200.
    std::map<std::string, int> answers;

    /// URLs that never answer.
    std::vector<std::string> hanging;

    /// Header fields of every answer.
    http_headers with;

    std::deque<http_call> got;

    [[nodiscard]] http_sender sender() {
        return [this](http_call call, deadline until) { return take(std::move(call), until); };
    }

    /// The bodies that a URL got.
    [[nodiscard]] std::vector<std::string> bodies(std::string_view url) const {
        std::vector<std::string> found;
        for (const http_call& call : got) {
            if (call.url == url) {
                found.push_back(call.body);
            }
        }
        return found;
    }

    [[nodiscard]] std::vector<std::string> ids(std::string_view url) const {
        std::vector<std::string> found;
        for (const http_call& call : got) {
            if (call.url == url) {
                found.emplace_back(call.headers.find(webhook_id_header).value_or(""));
            }
        }
        return found;
    }

   private:
    awaitable<result<http_reply>> take(http_call call, deadline until) {
        const std::string url = call.url;
        got.push_back(std::move(call));
        if (std::ranges::find(hanging, url) != hanging.end()) {
            const result<> waited = co_await sleep_until(until);
            if (!waited) {
                co_return waited.error();
            }
            co_return errc::timed_out;
        }
        http_reply reply;
        const auto known = answers.find(url);
        reply.status = known == answers.end() ? 200 : known->second;
        reply.headers = with;
        co_return reply;
    }
};

/// Whether a call is signed with a secret.
[[nodiscard]] inline bool is_signed_with(
    const http_call& call, const webhook_secret& secret, wall_time now
) {
    const auto field = [&call](std::string_view name) {
        return std::string{call.headers.find(name).value_or("")};
    };
    const webhook_headers headers{
        field(webhook_id_header), field(webhook_timestamp_header), field(webhook_signature_header)
    };
    return !refusal_of_webhook(headers, call.body, std::span{&secret, 1}, now);
}

}  // namespace convene
