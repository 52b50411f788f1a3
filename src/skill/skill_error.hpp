// SPDX-License-Identifier: Apache-2.0
// Why a skill can't be used, and why a pull came to nothing.
#pragma once

#include "convene/error.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <type_traits>

namespace convene {

/// Outcomes of using a skill. The numbers are frozen, as those of `errc`.
enum class skill_errc {
    not_ready = 1,  ///< the revision is not here: wait for its pull, and never take another one
};

[[nodiscard]] const boost::system::error_category& skill_category() noexcept;

[[nodiscard]] inline error_code make_error_code(skill_errc code) noexcept {
    return {static_cast<int>(code), skill_category()};
}

/// Why a pull came to nothing, as it is stored and shown.
struct pull_failure {
    std::string word;  ///< stable: `clone_timed_out`, `reference_not_found`, ...
    std::string
        detail;  ///< for people: the file or field, and what helps; nothing that a server said

    friend bool operator==(const pull_failure&, const pull_failure&) = default;
};

/// A pull that was ended from outside. `timed_out` is a failure as any other; all else means that nothing came of the
/// pull, and somebody else is to make it.
[[nodiscard]] pull_failure failure_of_stop(error_code reason);

[[nodiscard]] bool is_broken_off(const pull_failure& failure);

/// What `pulled::value()` throws when there is no value.
[[noreturn]] void throw_exception_from_error(
    const pull_failure& failure, const boost::source_location& where
);

/// A step of a pull: its value, or why the pull came to nothing.
template <class T = void>
class [[nodiscard]] pulled : public boost::system::result<T, pull_failure> {
   public:
    using boost::system::result<T, pull_failure>::result;
};

}  // namespace convene

template <>
struct boost::system::is_error_code_enum<convene::skill_errc> : std::true_type {};
