// SPDX-License-Identifier: Apache-2.0
// Why the server refuses a request before, or instead of, asking its handler; each with status and title.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

enum class http_refusal : std::uint8_t {
    malformed_request,
    bad_line_ending,
    folded_header,
    control_character,
    bad_target,
    bad_host,
    bad_message_length,
    bad_chunk,
    bad_trailer,
    unknown_transfer_coding,
    unknown_method,
    unknown_expectation,
    http_2,
    unknown_version,
    target_too_long,
    head_too_large,
    too_many_headers,
    body_too_large,
    head_too_slow,
    body_too_slow,
    too_many_connections,
    handler_failed,
    upgrade_required,
    bad_upgrade,
    too_many_large_bodies,
};

inline constexpr std::size_t http_refusal_count = 25;

struct http_refusal_text {
    int status;
    std::string_view word;   ///< for metrics and logs
    std::string_view title;  ///< for people
};

[[nodiscard]] http_refusal_text text_of(http_refusal reason) noexcept;

/// The reason phrase of a status; empty for one that is not known.
[[nodiscard]] std::string_view phrase_of(int status) noexcept;

/// The body of the answer, `application/problem+json`.
[[nodiscard]] std::string problem_of(http_refusal reason);

}  // namespace convene
