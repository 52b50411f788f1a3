// SPDX-License-Identifier: Apache-2.0
// The language of scripted models: `docs/formats/model-script.md`.
#pragma once

#include "convene/chat_model.hpp"
#include "convene/error.hpp"
#include "convene/time.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace convene {

/// Why a text is no script.
struct script_problem {
    std::size_t line = 0;
    std::string text;  ///< what is wrong and what would be right

    [[nodiscard]] std::string message() const;
};

enum class variable_kind : std::uint8_t { user, name, turn, result };

/// A variable in a text: `$user`, `$result2.city.name`.
struct script_variable {
    variable_kind kind = variable_kind::user;
    std::size_t number = 1;           ///< which of the results
    std::vector<std::string> path{};  ///< into a result that is JSON
};

/// A text with variables in it.
using script_text = std::vector<std::variant<std::string, script_variable>>;

struct think_step {
    script_text text;
};

struct say_step {
    script_text text;
};

struct call_step {
    std::string tool;
    script_text arguments;  ///< JSON of an object; variables are in its strings only
};

struct wait_step {
    milliseconds span{};
};

struct fail_step {
    errc code{};
};

/// Ends the answer for this reason.
struct end_step {
    finish_reason reason{};
};

enum class step_guard : std::uint8_t { always, if_worked, if_failed };

struct script_step {
    step_guard guard = step_guard::always;  ///< by the results of the calls before it
    std::variant<think_step, say_step, call_step, wait_step, fail_step, end_step> action;
};

/// What is answered to which of a user's messages.
struct script_block {
    std::optional<std::int64_t> turn{};  ///< the n-th of a user's messages
    std::vector<std::string> words{
    };  ///< one of them is said, in capitals or not; empty: whatever is said
    std::vector<script_step> steps{};
};

/// *Thread safety*: const.
class model_script {
   public:
    using parsed = boost::system::result<model_script, script_problem>;

    [[nodiscard]] static parsed parse(std::string_view text);

    /// The first that fits is played; the last one fits all.
    [[nodiscard]] const std::vector<script_block>& blocks() const noexcept { return blocks_; }

    /// Between two pieces of text.
    [[nodiscard]] milliseconds pace() const noexcept { return pace_; }

   private:
    friend class script_reader;

    model_script() = default;

    milliseconds pace_{0};
    std::vector<script_block> blocks_;
};

}  // namespace convene
