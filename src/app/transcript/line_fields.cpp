// SPDX-License-Identifier: Apache-2.0
// Line fields: reading, and keeping the first fault.
#include "app/transcript/line_fields.hpp"

#include <boost/json/array.hpp>

#include <limits>

#include "base/canonical_json.hpp"
#include "base/text_boundary.hpp"

namespace convene {

line_fields::line_fields(
    const boost::json::object& object,
    std::string_view text,
    std::string path,
    std::initializer_list<std::string_view> names
)
    : object_(object), text_(text), fields_(object, std::move(path)) {
    const checked<> known = fields_.only(names);
    if (!known) {
        refuse(known.error());
    }
}

std::string line_fields::id(std::string_view name) { return std::string{take(fields_.id(name))}; }

std::string line_fields::text(std::string_view name) {
    return std::string{take(fields_.text(name))};
}

std::string line_fields::optional_id(std::string_view name) {
    return std::string{take(fields_.optional_id(name)).value_or(std::string_view{})};
}

std::string line_fields::optional_text(std::string_view name) {
    return std::string{take(fields_.optional_text(name)).value_or(std::string_view{})};
}

bool line_fields::flag(std::string_view name) {
    return take(fields_.optional_boolean(name)).value_or(false);
}

std::optional<std::int64_t> line_fields::index(std::string_view name) {
    constexpr integer_range not_negative{0, std::numeric_limits<std::int64_t>::max()};
    return take(fields_.optional_integer(name, not_negative));
}

json_text line_fields::object(std::string_view name) {
    const std::optional<std::string_view> found = spelled(name);
    if (!found) {
        return json_text{};
    }
    return take(parse_json_object(*found, path_of(name)));
}

const boost::json::array* line_fields::array(std::string_view name) {
    const boost::json::value* const found = object_.if_contains(name);
    if (found == nullptr || found->is_null()) {
        return nullptr;
    }
    if (!found->is_array()) {
        refuse(name, boundary_reason::wrong_type);
    }
    return found->if_array();
}

std::optional<std::string_view> line_fields::spelled(std::string_view name) const {
    const std::optional<std::string_view> found = find_member(text_, name);
    return found == "null" ? std::nullopt : found;
}

void line_fields::refuse(std::string_view name, boundary_reason reason) {
    refuse(boundary_error{path_of(name), reason});
}

void line_fields::refuse(boundary_error error) {
    if (!fault_) {
        fault_ = std::move(error);
    }
}

}  // namespace convene
