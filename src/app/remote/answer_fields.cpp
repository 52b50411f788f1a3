// SPDX-License-Identifier: Apache-2.0
// Fields of answers, from slices of canonical JSON.
#include "app/remote/answer_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace convene {

answer_fields::answer_fields(std::string_view object) : members_(members_of(object)) {
    if (!object.starts_with('{')) {
        refuse("");
    }
}

std::optional<std::string_view> answer_fields::find(std::string_view name) const {
    const auto found = std::ranges::find(members_, name, &json_member::key);
    if (found == members_.end() || found->value == "null") {
        return std::nullopt;
    }
    return found->value;
}

void answer_fields::refuse(std::string_view name) {
    if (!fault_) {
        fault_ = std::string{name};
    }
}

std::optional<std::string> answer_fields::optional_text(std::string_view name) {
    const auto value = find(name);
    if (!value) {
        return std::nullopt;
    }
    std::optional<std::string> decoded = decode_string(*value);
    if (!decoded) {
        refuse(name);
    }
    return decoded;
}

std::optional<std::int64_t> answer_fields::optional_integer(std::string_view name) {
    const auto value = find(name);
    if (!value) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [stopped, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc{} || stopped != end) {
        refuse(name);
        return std::nullopt;
    }
    return number;
}

std::optional<std::vector<std::string_view>> answer_fields::optional_list(std::string_view name) {
    const auto value = find(name);
    if (!value) {
        return std::nullopt;
    }
    if (!value->starts_with('[')) {
        refuse(name);
    }
    return elements_of(*value);
}

std::string answer_fields::text(std::string_view name) {
    std::optional<std::string> value = optional_text(name);
    if (!value) {
        refuse(name);
    }
    return std::move(value).value_or("");
}

double answer_fields::number(std::string_view name) {
    const auto value = find(name);
    double number = 0;
    if (value) {
        const char* const end = value->data() + value->size();
        const auto [stopped, error] = std::from_chars(value->data(), end, number);
        if (error == std::errc{} && stopped == end) {
            return number;
        }
    }
    refuse(name);
    return 0;
}

std::int64_t answer_fields::integer(std::string_view name) {
    const auto value = optional_integer(name);
    if (!value) {
        refuse(name);
    }
    return value.value_or(0);
}

bool answer_fields::flag(std::string_view name) {
    const auto value = find(name);
    if (value != "true" && value != "false") {
        refuse(name);
    }
    return value == "true";
}

wall_time answer_fields::time(std::string_view name) {
    const result<wall_time> parsed = parse_rfc3339(text(name));
    if (!parsed) {
        refuse(name);
        return {};
    }
    return *parsed;
}

json_text answer_fields::object(std::string_view name) {
    const auto value = find(name);
    if (!value || !value->starts_with('{')) {
        refuse(name);
        return {};
    }
    return json_text::trusted(std::string{*value});
}

std::vector<std::string_view> answer_fields::list(std::string_view name) {
    auto value = optional_list(name);
    if (!value) {
        refuse(name);
    }
    return std::move(value).value_or(std::vector<std::string_view>{});
}

}  // namespace convene
