// SPDX-License-Identifier: Apache-2.0
// Configuration: access to the values, and the document that shows them.
#include "base/config/configuration.hpp"

#include <algorithm>
#include <variant>

#include "base/assert.hpp"
#include "base/config/spelling.hpp"
#include "base/json_writer.hpp"

namespace convene {

std::string config_problem::message() const { return setting + " (" + source + "): " + text; }

const setting_value& configuration::find(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, [](const entry& e) {
        return e.what->name;
    });
    CONVENE_ASSERT(found != entries_.end(), "a setting is read that the table does not have");
    return found->value;
}

const std::string& configuration::text(std::string_view name) const {
    const auto* const value = std::get_if<std::string>(&find(name));
    CONVENE_ASSERT(value != nullptr, "a setting is read as text that is none");
    return *value;
}

std::int64_t configuration::integer(std::string_view name) const {
    const auto* const value = std::get_if<std::int64_t>(&find(name));
    CONVENE_ASSERT(value != nullptr, "a setting is read as an integer that is none");
    return *value;
}

milliseconds configuration::duration(std::string_view name) const {
    const auto* const value = std::get_if<milliseconds>(&find(name));
    CONVENE_ASSERT(value != nullptr, "a setting is read as a duration that is none");
    return *value;
}

bool configuration::boolean(std::string_view name) const {
    const auto* const value = std::get_if<bool>(&find(name));
    CONVENE_ASSERT(value != nullptr, "a setting is read as a boolean that is none");
    return *value;
}

std::string print_config(const configuration& config) {
    std::string document;
    for (const configuration::entry& entry : config.entries()) {
        const std::string shown = show_setting(*entry.what, entry.value);
        const bool is_bare = entry.what->kind == setting_kind::integer ||
                             entry.what->kind == setting_kind::boolean;
        document += file_spelling(*entry.what);
        document += " = ";
        if (is_bare) {
            document += shown;
        } else {
            append_json_string(document, shown);  // TOML's basic strings have the same escapes
        }
        document += "  # " + entry.origin + '\n';
    }
    return document;
}

}  // namespace convene
