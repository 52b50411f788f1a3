// SPDX-License-Identifier: Apache-2.0
// Reading JSON from outside, with Boost.JSON for the values.
#include "base/json.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

boundary_error fault_at(std::string_view path, boundary_reason reason) {
    return {std::string{path}, reason};
}

/// A required field that `find` may not have found, read by one of the functions above.
template <class Read>
auto require(const boost::json::value* value, const std::string& path, Read read)
    -> decltype(read(*value, path)) {
    if (value == nullptr) {
        return fault_at(path, boundary_reason::missing_field);
    }
    return read(*value, path);
}

template <class Read>
auto allow(const boost::json::value* value, const std::string& path, Read read)
    -> checked<std::optional<typename decltype(read(*value, path))::value_type>> {
    if (value == nullptr) {
        return std::nullopt;
    }
    const auto found = read(*value, path);
    if (!found) {
        return found.error();
    }
    return *found;
}

constexpr auto as_text = [](const boost::json::value& value, std::string_view path) {
    return read_text(value, path);
};
constexpr auto as_id = [](const boost::json::value& value, std::string_view path) {
    return read_id(value, path);
};

}  // namespace

checked<std::string_view> read_text(
    const boost::json::value& value, std::string_view path, const boundary_limits& limits
) {
    const boost::json::string* const text = value.if_string();
    if (text == nullptr) {
        return fault_at(path, boundary_reason::wrong_type);
    }
    if (text->size() > limits.max_text_bytes) {
        return fault_at(path, boundary_reason::too_long);
    }
    return std::string_view{text->data(), text->size()};
}

checked<std::string_view> read_id(
    const boost::json::value& value, std::string_view path, const boundary_limits& limits
) {
    checked<std::string_view> text = read_text(value, path, limits);
    if (!text) {
        return text;
    }
    if (const checked<> id = check_id(*text, path, limits); !id) {
        return id.error();
    }
    return text;
}

checked<bool> read_boolean(const boost::json::value& value, std::string_view path) {
    if (!value.is_bool()) {
        return fault_at(path, boundary_reason::wrong_type);
    }
    return value.get_bool();
}

checked<std::int64_t> read_integer(
    const boost::json::value& value, std::string_view path, integer_range range
) {
    if (!value.is_number()) {
        return fault_at(path, boundary_reason::wrong_type);
    }
    // Boost.JSON keeps as a double what has a point or an exponent, which is no integer to us, and
    // as an unsigned number what does not fit a signed one.
    if (value.is_double()) {
        const bool is_whole_but_huge = value.get_double() >= 0x1p63 || value.get_double() < -0x1p63;
        return fault_at(
            path, is_whole_but_huge ? boundary_reason::out_of_range : boundary_reason::wrong_type
        );
    }
    const std::int64_t* const number = value.if_int64();
    if (number == nullptr || *number < range.min || *number > range.max) {
        return fault_at(path, boundary_reason::out_of_range);
    }
    return *number;
}

checked<double> read_number(
    const boost::json::value& value, std::string_view path, number_range range
) {
    if (!value.is_number()) {
        return fault_at(path, boundary_reason::wrong_type);
    }
    const double number = value.to_number<double>();
    if (number < range.min || number > range.max) {
        return fault_at(path, boundary_reason::out_of_range);
    }
    return number;
}

const boost::json::value* object_reader::find(std::string_view name) const {
    const boost::json::value* const value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::string object_reader::path_of(std::string_view name) const { return member_path(path_, name); }

checked<std::string_view> object_reader::text(std::string_view name) const {
    return require(find(name), path_of(name), as_text);
}

checked<std::string_view> object_reader::id(std::string_view name) const {
    return require(find(name), path_of(name), as_id);
}

checked<std::optional<std::string_view>> object_reader::optional_text(std::string_view name) const {
    return allow(find(name), path_of(name), as_text);
}

checked<std::optional<std::string_view>> object_reader::optional_id(std::string_view name) const {
    return allow(find(name), path_of(name), as_id);
}

checked<std::optional<bool>> object_reader::optional_boolean(std::string_view name) const {
    return allow(find(name), path_of(name), read_boolean);
}

checked<std::optional<std::int64_t>> object_reader::optional_integer(
    std::string_view name, integer_range range
) const {
    return allow(
        find(name),
        path_of(name),
        [range](const boost::json::value& value, std::string_view path) {
            return read_integer(value, path, range);
        }
    );
}

checked<> object_reader::only(std::initializer_list<std::string_view> names) const {
    for (const auto& member : object_) {
        const std::string_view key{member.key().data(), member.key().size()};
        if (std::ranges::find(names, key) == names.end()) {
            return fault_at(path_of(key), boundary_reason::unknown_field);
        }
    }
    return {};
}

checked<json_document> json_document::parse(
    std::string_view text, std::string_view field, const boundary_limits& limits
) {
    checked<json_text> canonical = parse_json(text, field, limits);
    if (!canonical) {
        return canonical.error();
    }
    boost::json::parse_options options;
    // The gate has looked at the depth, which may be without a limit.
    options.max_depth = std::max(limits.max_json_depth, limits.max_json_depth + 1);
    error_code error;
    boost::json::value root = boost::json::parse(canonical->str(), error, {}, options);
    if (error) {
        // The gate is the stricter of the two (a fuzz target compares them); a difference is no
        // crash.
        return fault_at(field, boundary_reason::not_json);
    }
    return json_document{*std::move(canonical), std::move(root), std::string{field}};
}

checked<object_reader> json_document::object() const {
    const boost::json::object* const object = root_.if_object();
    if (object == nullptr) {
        return fault_at(field_, boundary_reason::wrong_type);
    }
    return object_reader{*object, field_};
}

std::optional<std::string_view> json_document::member(std::string_view name) const {
    if (!root_.is_object()) {
        return std::nullopt;
    }
    const std::optional<std::string_view> value = find_member(text_.str(), name);
    return value == "null" ? std::nullopt : value;
}

}  // namespace convene
