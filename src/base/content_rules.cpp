// SPDX-License-Identifier: Apache-2.0
// Content rules: a table of fields for each type. `docs/formats/content.md` is the same in prose.
#include "base/content_rules.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "base/field_path.hpp"
#include "base/text_boundary.hpp"
#include "base/value_forms.hpp"

namespace convene {

namespace {

/// Where a value stands, and what is known on the way to it.
struct place {
    std::string path;
    const boundary_limits& limits;
    std::size_t composites = 0;  ///< around it
};

using check_function = checked<> (*)(const boost::json::value& value, const place& at);

enum class presence { required, optional };

struct field_rule {
    std::string_view name;
    presence need;
    check_function check;
};

constexpr presence required = presence::required;
constexpr presence optional = presence::optional;

boundary_error fault(const place& at, boundary_reason reason) { return {at.path, reason}; }

place member_of(const place& at, std::string_view key) {
    return {member_path(at.path, key), at.limits, at.composites};
}

place element_of(const place& at, std::size_t index) {
    return {element_path(at.path, index), at.limits, at.composites};
}

/// Keeps the verdict of a `read_` function and drops its value.
template <class T>
checked<> verdict(const checked<T>& read) {
    if (!read) {
        return read.error();
    }
    return {};
}

// -- what a field must look like
// -------------------------------------------------------------------

checked<> anything(const boost::json::value&, const place&) { return {}; }

checked<> text(const boost::json::value& value, const place& at) {
    return verdict(read_text(value, at.path, at.limits));
}

checked<> id(const boost::json::value& value, const place& at) {
    return verdict(read_id(value, at.path, at.limits));
}

checked<> object(const boost::json::value& value, const place& at) {
    if (!value.is_object()) {
        return fault(at, boundary_reason::wrong_type);
    }
    return {};
}

/// Text of a certain form, refused as `reason` otherwise.
checked<> formed_text(
    const boost::json::value& value,
    const place& at,
    bool (*has_form)(std::string_view),
    boundary_reason reason
) {
    const checked<std::string_view> read = read_text(value, at.path, at.limits);
    if (!read) {
        return read.error();
    }
    if (!has_form(*read)) {
        return fault(at, reason);
    }
    return {};
}

checked<> language(const boost::json::value& value, const place& at) {
    return formed_text(value, at, is_language_tag, boundary_reason::malformed);
}

checked<> media_type(const boost::json::value& value, const place& at) {
    return formed_text(value, at, is_media_type, boundary_reason::malformed);
}

checked<> url(const boost::json::value& value, const place& at) {
    const boost::json::string* const text = value.if_string();
    if (text == nullptr) {
        return fault(at, boundary_reason::wrong_type);
    }
    // A data URL is the data itself: only the document's size bounds it.
    if (is_data_url(*text)) {
        return {};
    }
    if (text->size() > at.limits.max_url_bytes) {
        return fault(at, boundary_reason::too_long);
    }
    if (!is_web_url(*text) && !is_attachment_uri(*text)) {
        return fault(at, boundary_reason::unsupported_url);
    }
    return {};
}

/// A whole number that survives a JavaScript client.
checked<> count(const boost::json::value& value, const place& at) {
    constexpr std::int64_t max_exact_in_double = (std::int64_t{1} << 53U) - 1;
    return verdict(read_integer(value, at.path, {0, max_exact_in_double}));
}

checked<> duration(const boost::json::value& value, const place& at) {
    return verdict(read_number(value, at.path, {0, std::numeric_limits<double>::max()}));
}

checked<> latitude(const boost::json::value& value, const place& at) {
    return verdict(read_number(value, at.path, {-90, 90}));
}

checked<> longitude(const boost::json::value& value, const place& at) {
    return verdict(read_number(value, at.path, {-180, 180}));
}

/// An unknown word is refused, not taken for a default: it could be a right that is not the
/// sender's.
checked<> word(
    const boost::json::value& value, const place& at, std::initializer_list<std::string_view> words
) {
    const checked<std::string_view> read = read_text(value, at.path, at.limits);
    if (!read) {
        return read.error();
    }
    if (std::ranges::find(words, *read) == words.end()) {
        return fault(at, boundary_reason::unknown_value);
    }
    return {};
}

checked<> format(const boost::json::value& value, const place& at) {
    return word(value, at, {"html", "markdown"});
}

checked<> edit_source(const boost::json::value& value, const place& at) {
    return word(value, at, {"sender", "system"});
}

checked<> delete_type(const boost::json::value& value, const place& at) {
    return word(value, at, {"sender", "system", "admin"});
}

checked<> tool_status(const boost::json::value& value, const place& at) {
    return word(value, at, {"pending", "completed", "failed"});
}

checked<> list(const boost::json::value& value, const place& at, check_function element) {
    const boost::json::array* const array = value.if_array();
    if (array == nullptr) {
        return fault(at, boundary_reason::wrong_type);
    }
    if (array->size() > at.limits.max_list_items) {
        return fault(at, boundary_reason::too_many);
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
        const checked<> checked_element = element((*array)[i], element_of(at, i));
        if (!checked_element) {
            return checked_element;
        }
    }
    return {};
}

checked<> objects(const boost::json::value& value, const place& at) {
    return list(value, at, object);
}

checked<> texts(const boost::json::value& value, const place& at) { return list(value, at, text); }

/// Values for a template's placeholders.
checked<> text_members(const boost::json::value& value, const place& at) {
    const boost::json::object* const members = value.if_object();
    if (members == nullptr) {
        return fault(at, boundary_reason::wrong_type);
    }
    for (const auto& [key, member] : *members) {
        const checked<> checked_member = text(member, member_of(at, key));
        if (!checked_member) {
            return checked_member;
        }
    }
    return {};
}

checked<content_type> content_at(const boost::json::value& value, const place& at);

checked<> message(const boost::json::value& value, const place& at) {
    const checked<content_type> type = content_at(value, at);
    if (!type) {
        return type.error();
    }
    if (!is_message(*type)) {
        return boundary_error{member_path(at.path, "type"), boundary_reason::not_allowed_here};
    }
    return {};
}

checked<> parts(const boost::json::value& value, const place& at) {
    place inside = at;
    ++inside.composites;
    if (inside.composites > at.limits.max_composite_depth) {
        return fault(at, boundary_reason::too_deep);
    }
    const boost::json::array* const array = value.if_array();
    if (array != nullptr && array->empty()) {
        return fault(at, boundary_reason::empty);
    }
    return list(value, inside, message);
}

// -- the types
// -------------------------------------------------------------------------------------

constexpr field_rule text_fields[] = {
    {"body", required, text},
    {"language", optional, language},
};
constexpr field_rule rich_fields[] = {
    {"body", required, text},
    {"format", required, format},
    {"plain_text", optional, text},
    {"buttons", optional, objects},
    {"cards", optional, objects},
    {"quick_replies", optional, texts},
};
constexpr field_rule media_fields[] = {
    {"url", required, url},
    {"mime_type", required, media_type},
    {"filename", optional, text},
    {"size_bytes", optional, count},
    {"caption", optional, text},
};
constexpr field_rule location_fields[] = {
    {"latitude", required, latitude},
    {"longitude", required, longitude},
    {"label", optional, text},
    {"address", optional, text},
};
constexpr field_rule audio_fields[] = {
    {"url", required, url},
    {"mime_type", required, media_type},
    {"duration_seconds", optional, duration},
    {"transcript", optional, text},
};
constexpr field_rule video_fields[] = {
    {"url", required, url},
    {"mime_type", required, media_type},
    {"duration_seconds", optional, duration},
    {"thumbnail_url", optional, url},
};
constexpr field_rule composite_fields[] = {
    {"parts", required, parts},
};
constexpr field_rule system_fields[] = {
    {"body", required, text},
    {"code", optional, text},
    {"data", optional, object},
};
constexpr field_rule template_fields[] = {
    {"template_id", required, id},
    {"language", optional, language},
    {"parameters", optional, text_members},
    {"body", optional, text},
};
constexpr field_rule edit_fields[] = {
    {"target_event_id", required, id},
    {"new_content", required, message},
    {"edit_source", optional, edit_source},
};
constexpr field_rule delete_fields[] = {
    {"target_event_id", required, id},
    {"delete_type", required, delete_type},
    {"reason", optional, text},
};
constexpr field_rule tool_call_rules[] = {
    {"tool_name", required, text},
    {"tool_id", required, text},
    {"arguments", required, object},
    {"result", optional, anything},
    {"status", required, tool_status},
    {"duration_ms", optional, count},
    {"error", optional, text},
    {"structured_content", optional, anything},
};

std::span<const field_rule> rules_of(content_type type) {
    switch (type) {
        case content_type::text:
            return text_fields;
        case content_type::rich:
            return rich_fields;
        case content_type::media:
            return media_fields;
        case content_type::location:
            return location_fields;
        case content_type::audio:
            return audio_fields;
        case content_type::video:
            return video_fields;
        case content_type::composite:
            return composite_fields;
        case content_type::system:
            return system_fields;
        case content_type::template_:
            return template_fields;
        case content_type::edit:
            return edit_fields;
        case content_type::delete_:
            return delete_fields;
        case content_type::tool_call:
            return tool_call_rules;
    }
    return {};
}

// -- applying them
// ---------------------------------------------------------------------------------

checked<content_type> read_type(const boost::json::object& content, const place& at) {
    const checked<std::string_view> word = object_reader{content, at.path}.text("type");
    if (!word) {
        return word.error();
    }
    const std::optional<content_type> type = content_type_of(*word);
    if (!type) {
        return fault(member_of(at, "type"), boundary_reason::unknown_value);
    }
    return *type;
}

/// `null` stands for an optional field that is left out: many serialisers write it so.
checked<> check_field(const boost::json::value& value, const field_rule& rule, const place& at) {
    if (value.is_null() && rule.need == optional) {
        return {};
    }
    return rule.check(value, at);
}

checked<> check_present_fields(
    const boost::json::object& content, std::span<const field_rule> rules, const place& at
) {
    for (const auto& [key, value] : content) {
        if (key == "type") {
            continue;
        }
        const std::string_view name{key.data(), key.size()};
        const auto rule = std::ranges::find(rules, name, &field_rule::name);
        if (rule == rules.end()) {
            return fault(member_of(at, name), boundary_reason::unknown_field);
        }
        const checked<> field = check_field(value, *rule, member_of(at, name));
        if (!field) {
            return field;
        }
    }
    return {};
}

checked<> check_required_fields(
    const boost::json::object& content, std::span<const field_rule> rules, const place& at
) {
    for (const field_rule& rule : rules) {
        if (rule.need == required && !content.contains(rule.name)) {
            return fault(member_of(at, rule.name), boundary_reason::missing_field);
        }
    }
    return {};
}

/// Calls itself through `parts` and `new_content`, at most `max_composite_depth` + 2 deep.
checked<content_type> content_at(const boost::json::value& value, const place& at) {
    const boost::json::object* const content = value.if_object();
    if (content == nullptr) {
        return fault(at, boundary_reason::wrong_type);
    }
    checked<content_type> type = read_type(*content, at);
    if (!type) {
        return type;
    }
    const std::span<const field_rule> rules = rules_of(*type);
    if (const checked<> present = check_present_fields(*content, rules, at); !present) {
        return present.error();
    }
    if (const checked<> all_there = check_required_fields(*content, rules, at); !all_there) {
        return all_there.error();
    }
    return type;
}

}  // namespace

checked<content_type> check_content(
    const json_document& document, std::string_view path, const boundary_limits& limits
) {
    return content_at(document.root(), {std::string{path}, limits});
}

}  // namespace convene
