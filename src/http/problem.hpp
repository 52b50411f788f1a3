// SPDX-License-Identifier: Apache-2.0
// Problem details (RFC 9457): every refusal of the HTTP surface, from our error codes.
#pragma once

#include "convene/boundary.hpp"
#include "convene/error.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http_message.hpp"

namespace convene {

/// One field of a request and the rule it breaks, as a stable word (`word_of(boundary_reason)`).
struct field_fault {
    std::string field;
    std::string reason;

    friend bool operator==(const field_fault&, const field_fault&) = default;
};

/// Why a request was refused. Its texts are our own words: never a stack, a path, SQL, or what a caller sent.
struct problem {
    int status = 500;
    std::string code = "INTERNAL_ERROR";  ///< stable, capitals
    std::string detail;                   ///< for people
    bool is_retryable = false;            ///< the same request may succeed later, unchanged
    std::optional<std::chrono::seconds> retry_after;
    std::vector<field_fault> errors;
    std::string allow;                                           ///< of 405: the methods there are
    std::vector<std::pair<std::string, std::string>> members{};  ///< further ones: name and text
};

/// What a code is to a caller. The library's name of a code in capitals is the problem's code, but for a few
/// that would tell a caller about our insides.
[[nodiscard]] problem problem_of(error_code code);

[[nodiscard]] problem problem_of(const boundary_error& error);

/// 422, with the fields at fault.
[[nodiscard]] problem validation_problem(std::vector<field_fault> errors);
[[nodiscard]] problem validation_problem(std::string field, boundary_reason reason);

[[nodiscard]] problem not_found_problem();

/// 403; `detail` says in our words what is missing.
[[nodiscard]] problem forbidden_problem(std::string detail);

/// 409, with a code of its own: what is asked for does not go together with what is there. `detail` names the remedy.
[[nodiscard]] problem conflict_problem(std::string code, std::string detail);

/// The title of a code, the same for every problem that has it.
[[nodiscard]] std::string_view title_of(int status) noexcept;

/// The answer: `instance` is the path that was asked for.
[[nodiscard]] http_response answer_of(
    const problem& what, std::string_view instance, std::string_view request_id
);

/// What `or_problem::value()` throws when there is no value.
[[noreturn]] void throw_exception_from_error(
    const problem& what, const boost::source_location& where
);

/// A value, or why the request is refused.
template <class T = void>
class [[nodiscard]] or_problem : public boost::system::result<T, problem> {
   public:
    using boost::system::result<T, problem>::result;
};

}  // namespace convene
