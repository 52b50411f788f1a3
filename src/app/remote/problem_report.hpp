// SPDX-License-Identifier: Apache-2.0
// A server's refusal: what its problem document says, and what that means for a command.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.hpp"

namespace convene {

/// RFC 9457, as far as a command looks at it.
struct problem_report {
    struct field_fault {
        std::string field;
        std::string reason;

        friend bool operator==(const field_fault&, const field_fault&) = default;
    };

    int status = 0;
    std::string code;  ///< `ROOM_CLOSED`; empty where the answer is none of our server's
    std::string detail;
    std::vector<field_fault> errors;
    std::optional<std::chrono::seconds> retry_after;

    friend bool operator==(const problem_report&, const problem_report&) = default;
};

/// Reads any body: what is no problem document leaves the status alone.
[[nodiscard]] problem_report read_problem(int status, std::string_view body);

/// Whether the same request may succeed in a moment: the server is busy, starting or going away.
[[nodiscard]] bool is_passing(const problem_report& what) noexcept;

/// How a command ends that was refused while it was `doing` something ("sending").
[[nodiscard]] failure failure_of(const problem_report& what, std::string_view doing);

}  // namespace convene
