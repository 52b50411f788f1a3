// SPDX-License-Identifier: Apache-2.0
// A setting: the one definition that flags, environment, file, help and checks are made from.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace convene {

enum class setting_kind {
    string,
    integer,
    duration,     ///< `30` (seconds), `0.5`, `500ms`, `2m`, `1h`
    boolean,      ///< `true` or `false`
    enumeration,  ///< one of `words`
    secret,       ///< a string that is never shown; may also be given by the name of a file
};

/// Which variables of the environment give a setting.
enum class variable_rule {
    any,       ///< `DB_URL`, or `CONVENE_DB_URL`, which goes before it
    prefixed,  ///< only `CONVENE_URL`: other programs use the bare name for something else
};

/// Which texts a string or secret may be, in code and in words.
struct text_form {
    bool (*accepts)(std::string_view text);
    std::string_view description;
};

struct setting {
    std::string_view name;  ///< of the environment variable: `DB_URL`; in a file `db_url`
    std::string_view flag;  ///< on the command line: `--db-url`
    setting_kind kind;
    std::string_view default_value;  ///< spelled as a user would
    std::string_view help;           ///< one sentence

    /// Allowed integers, or milliseconds of a duration.
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();

    std::span<const std::string_view> words{};  ///< of an enumeration
    const text_form* form = nullptr;            ///< of a string or secret; null: any text

    variable_rule variables = variable_rule::any;

    /// What may be shown of a secret; null: nothing.
    std::string (*redacted)(std::string_view value) = nullptr;
};

/// Every setting of Convene. Whatever reads, shows or documents configuration does it by this
/// table.
[[nodiscard]] std::span<const setting> all_settings();

}  // namespace convene
