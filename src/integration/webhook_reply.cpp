// SPDX-License-Identifier: Apache-2.0
// The meaning of statuses and of calls that brought none.
#include "integration/webhook_reply.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string_view>
#include <utility>

namespace convene {

namespace {

constexpr std::chrono::hours longest_wait{24};

webhook_reply failure(webhook_verdict what, std::string code, std::string message) {
    return {what, std::move(code), std::move(message), std::nullopt};
}

/// Seconds, or a date as HTTP writes it. Nothing for another text.
std::optional<std::chrono::milliseconds> wait_of(std::string_view text, wall_time now) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, failed] = std::from_chars(text.data(), end, count);
    if (failed == std::errc{} && stopped == end && count >= 0) {
        return std::min<std::chrono::milliseconds>(
            longest_wait, seconds{std::min<std::int64_t>(count, seconds{longest_wait}.count())}
        );
    }
    std::tm date{};
    const std::string copy{text};
    const char* const behind = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
    if (behind == nullptr || *behind != '\0') {
        return std::nullopt;
    }
    const wall_time at{seconds{timegm(&date)}};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(at - now);
    return std::clamp<std::chrono::milliseconds>(wait, milliseconds{0}, longest_wait);
}

webhook_reply read_failure(error_code error) {
    using enum webhook_verdict;
    switch (static_cast<errc>(error.value())) {
        case errc::not_authorized:
            return failure(
                refused, "address_not_allowed", "the host's address is not one we may connect to"
            );
        case errc::invalid_argument:
            return failure(refused, "url_not_usable", "no request can be made to this URL");
        case errc::io_failed:
            return failure(failed, "tls_failed", "the receiver's certificate is not good");
        case errc::payload_too_large:
            return failure(failed, "reply_too_large", "the reply is larger than anybody needs");
        case errc::timed_out:
        case errc::outcome_unknown:
            return failure(failed, "no_reply", "the receiver did not answer in time");
        default:
            return failure(failed, "receiver_unreachable", "nobody answers at this URL");
    }
}

}  // namespace

webhook_reply read_webhook_reply(const result<http_reply>& reply, wall_time now) {
    using enum webhook_verdict;
    if (!reply) {
        return read_failure(reply.error());
    }
    const int status = reply->status;
    if (status >= 200 && status < 300) {
        return {};
    }
    const std::string answered = "the receiver answered " + std::to_string(status);
    if (status == 410) {
        return failure(gone, "receiver_gone", answered);
    }
    if (status == 429 || status == 503) {
        webhook_reply busy = failure(failed, "receiver_busy", answered);
        busy.retry_after = wait_of(reply->headers.find("retry-after").value_or(""), now);
        return busy;
    }
    if (status >= 500 || status == 408 || status < 200) {
        return failure(failed, "receiver_failed", answered);
    }
    return failure(refused, "receiver_refused", answered);
}

send_result send_result_of(const webhook_reply& reply) {
    switch (reply.what) {
        case webhook_verdict::taken:
            return send_result::sent();
        case webhook_verdict::gone:
        case webhook_verdict::refused:
            return send_result::failed_for_good(reply.code, reply.message);
        case webhook_verdict::failed:
            break;
    }
    send_result result = send_result::failed_for_now(reply.code, reply.message);
    result.retry_after = reply.retry_after;
    return result;
}

}  // namespace convene
