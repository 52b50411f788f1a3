// SPDX-License-Identifier: Apache-2.0
// What a command answers when it can't do its work: how the program ends, what is wrong, what to do.
#pragma once

#include "convene/boundary.hpp"
#include "convene/error.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "app/exit_code.hpp"

namespace convene {

struct failure {
    failure() = default;

    failure(exit_code ending, std::string what, std::string what_to_do)
        : ends_with(ending), text(std::move(what)), remedy(std::move(what_to_do)) {}

    exit_code ends_with = exit_code::usage;
    std::string text;       ///< names the flag, argument or field
    std::string remedy;     ///< what to do about it; empty where the text says it
    std::string reason;     ///< a stable word for programs; empty where there is none
    bool may_pass = false;  ///< the same may succeed a little later
};

/// A value, or why the command ends.
template <class T = void>
class [[nodiscard]] outcome : public boost::system::result<T, failure> {
   public:
    using boost::system::result<T, failure>::result;
};

/// An open store answered an error while the program was `doing` something ("reading the room").
[[nodiscard]] failure store_failure(error_code code, std::string_view doing);

/// Somebody gave the indexes of a room that is followed another meaning.
[[nodiscard]] failure room_was_repaired();

/// A value from outside broke a rule of the text boundary.
[[nodiscard]] failure refused_value(const boundary_error& error);

/// What a reason of the boundary means, as the end of a sentence.
[[nodiscard]] std::string_view describe(boundary_reason reason) noexcept;

}  // namespace convene
