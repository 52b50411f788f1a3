// SPDX-License-Identifier: Apache-2.0
// Errors of providers, by the words that OpenAI's and Anthropic's APIs share with their likes.
#include "agent/provider/provider_error.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/provider/frame_json.hpp"
#include "agent/provider/text_mender.hpp"

namespace convene {

namespace {

using enum retry_advice;

constexpr int too_large = 413;
constexpr int request_timeout = 408;
constexpr int conflict = 409;
constexpr int too_many_requests = 429;
constexpr int unavailable = 503;
constexpr int overloaded = 529;
constexpr int first_server_error = 500;

/// Nothing but money or an admin helps: the status of these is often that of a limit that passes.
constexpr std::string_view words_of_accounts[] = {"insufficient_quota", "billing"};
constexpr std::string_view words_of_load[] = {"overloaded", "rate_limit", "too_many_requests"};
constexpr std::string_view words_of_refusal[] = {
    "invalid", "authentication", "permission", "not_found", "content_policy", "context_length"
};

struct said {
    std::string type;
    std::string code;
    std::string text;
    std::optional<std::int64_t> status;
};

std::string mended(std::string_view text) {
    text_mender mender;
    std::string whole = mender.push(text);
    return whole + mender.finish();
}

said read_said(std::string_view data) {
    said heard;
    const std::optional<boost::json::value> read = read_frame(data);
    if (!read) {
        heard.text = mended(data);
        return heard;
    }
    const boost::json::value* error = member(&*read, "error");
    if (error == nullptr || error->is_string()) {
        heard.text = mended(text_of(error));
        error = &*read;
    }
    heard.type = mended(text_of(member(error, "type")));
    heard.code = mended(text_of(member(error, "code")));
    heard.status = integer_of(member(error, "code"));
    if (heard.text.empty()) {
        heard.text = mended(text_of(member(error, "message")));
    }
    return heard;
}

template <std::size_t Count>
bool says_one_of(const said& heard, const std::string_view (&words)[Count]) {
    return std::ranges::any_of(words, [&heard](std::string_view word) {
        return heard.type.find(word) != std::string::npos ||
               heard.code.find(word) != std::string::npos;
    });
}

std::pair<errc, retry_advice> judge_status(std::int64_t status) {
    switch (status) {
        case too_large:
            return {errc::payload_too_large, give_up};
        case too_many_requests:
        case unavailable:
        case overloaded:
            return {errc::model_overloaded, ask_again};
        case request_timeout:
        case conflict:
            return {errc::model_unavailable, ask_again};
        default:
            break;
    }
    if (status >= first_server_error) {
        return {errc::model_unavailable, ask_again};
    }
    return {errc::model_refused, give_up};
}

std::pair<errc, retry_advice> judge_words(const said& heard) {
    if (heard.status) {
        return judge_status(*heard.status);
    }
    if (says_one_of(heard, words_of_load)) {
        return {errc::model_overloaded, ask_again};
    }
    if (heard.type == "request_too_large") {
        return {errc::payload_too_large, give_up};
    }
    if (says_one_of(heard, words_of_refusal)) {
        return {errc::model_refused, give_up};
    }
    return {errc::model_unavailable, ask_again};
}

provider_error error_from(said heard, std::pair<errc, retry_advice> judged) {
    if (says_one_of(heard, words_of_accounts)) {
        judged = {errc::model_refused, give_up};
    }
    std::string type = heard.type.empty() ? std::move(heard.code) : std::move(heard.type);
    return {judged.first, judged.second, std::move(type), std::move(heard.text)};
}

}  // namespace

provider_error error_of_reply(int status, std::string_view body) {
    return error_from(read_said(body), judge_status(status));
}

provider_error error_of_frame(std::string_view data) {
    said heard = read_said(data);
    const auto judged = judge_words(heard);
    return error_from(std::move(heard), judged);
}

}  // namespace convene
