// SPDX-License-Identifier: Apache-2.0
// Transcoding: the readable text of every content type, and content cut down to what a channel can
// show.
#include "convene/content.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/canonical_json.hpp"
#include "base/content_access.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "base/value_forms.hpp"

namespace convene {

namespace {

// -- readable text
// ---------------------------------------------------------------------------------

std::string in_brackets(std::string_view what, std::string_view detail) {
    std::string text = "[";
    text += what;
    text += ": ";
    text += detail;
    text += ']';
    return text;
}

/// The first of these fields that has any text.
std::optional<std::string> first_filled(
    const content& what, std::initializer_list<std::string_view> names
) {
    for (const std::string_view name : names) {
        auto text = what.text_field(name);
        if (text && !text->empty()) {
            return text;
        }
    }
    return std::nullopt;
}

std::string filled_or_empty(const content& what, std::string_view name) {
    return first_filled(what, {name}).value_or("");
}

/// The address of media; what kind of data it is for a data URL, which is the data itself, and for an attachment,
/// whose address leads nowhere outside.
std::string shown_url(const content& what) {
    const std::string url = filled_or_empty(what, "url");
    const bool is_shown = !is_data_url(url) && !is_attachment_uri(url);
    return is_shown ? url : filled_or_empty(what, "mime_type");
}

std::string text_of_location(const content& what) {
    const std::string_view json = what.json().str();
    std::string position{find_member(json, "latitude").value_or("")};
    position += ", ";
    position += find_member(json, "longitude").value_or("");
    const auto label = first_filled(what, {"label"});
    return in_brackets("Location", label ? *label + " (" + position + ")" : position);
}

/// The parts of a composite that this version knows.
std::vector<content> parts_of(const content& composite) {
    std::vector<content> parts;
    const auto array = find_member(composite.json().str(), "parts").value_or("");
    for (const std::string_view element : elements_of(array)) {
        if (auto part = content_access::from_part(element)) {
            parts.push_back(*std::move(part));
        }
    }
    return parts;
}

std::string text_of_composite(const content& what) {
    std::string text;
    for (const content& part : parts_of(what)) {
        if (!text.empty()) {
            text += '\n';
        }
        text += readable_text(part);
    }
    return text;
}

// -- transcoding
// -----------------------------------------------------------------------------------

/// Code points that a limit allows; below three, nothing readable is left beside the ellipsis.
std::size_t allowed_length(const channel_capabilities& can) {
    constexpr std::size_t min_length = 3;
    return std::max(can.max_text_length, min_length);
}

bool is_too_long(std::string_view text, const channel_capabilities& can) {
    return can.max_text_length != 0 && count_code_points(text) > allowed_length(can);
}

std::string shortened(std::string_view text, const channel_capabilities& can) {
    if (!is_too_long(text, can)) {
        return std::string{text};
    }
    std::string cut{first_code_points(text, allowed_length(can) - 1)};
    cut += "…";
    return cut;
}

/// The same content with another value for one of its fields.
content with_field(const content& what, std::string_view name, std::string_view value) {
    std::string json = "{";
    for (const json_member& member : members_of(what.json().str())) {
        json += json.size() == 1 ? "\"" : ",\"";
        json += member.key;
        json += "\":";
        json += member.key == name ? value : member.value;
    }
    json += '}';
    return content_access::make(what.type(), json_text::trusted(std::move(json)));
}

result<content> as_text(const content& what, const channel_capabilities& can) {
    if (!can.supported.contains(content_type::text)) {
        return errc::invalid_argument;
    }
    return content::text(shortened(readable_text(what), can));
}

content with_short_body(const content& what, const channel_capabilities& can) {
    const std::string body = what.body().value_or("");
    if (!is_too_long(body, can)) {
        return what;
    }
    std::string value;
    append_json_string(value, shortened(body, can));
    return with_field(what, "body", value);
}

result<content> with_fitting_parts(const content& what, const channel_capabilities& can) {
    json_writer parts;
    parts.begin_array();
    for (const content& part : parts_of(what)) {
        result<content> fitting = transcode(part, can);
        if (!fitting) {
            return fitting;
        }
        parts.json(fitting->json());
    }
    parts.end_array();
    return with_field(what, "parts", parts.take().str());
}

result<content> with_fitting_correction(const content& what, const channel_capabilities& can) {
    result<content> fitting = transcode(what.new_content().value_or(content{}), can);
    if (!fitting) {
        return fitting;
    }
    return with_field(what, "new_content", fitting->json().str());
}

}  // namespace

std::string readable_text(const content& what) {
    switch (what.type()) {
        case content_type::text:
        case content_type::system:
            return filled_or_empty(what, "body");
        case content_type::rich:
            return first_filled(what, {"plain_text", "body"}).value_or("");
        case content_type::media:
            return in_brackets(
                "Media", first_filled(what, {"caption", "filename"}).value_or(shown_url(what))
            );
        case content_type::location:
            return text_of_location(what);
        case content_type::audio:
            return first_filled(what, {"transcript"})
                .value_or(in_brackets("Voice message", shown_url(what)));
        case content_type::video:
            return in_brackets("Video", shown_url(what));
        case content_type::composite:
            return text_of_composite(what);
        case content_type::template_:
            return first_filled(what, {"body"})
                .value_or(in_brackets("Template", filled_or_empty(what, "template_id")));
        case content_type::edit:
            return "Correction: " + readable_text(what.new_content().value_or(content{}));
        case content_type::delete_:
            return "[Message deleted]";
        case content_type::tool_call:
            return in_brackets(
                "Tool " + filled_or_empty(what, "tool_name"), filled_or_empty(what, "status")
            );
    }
    return {};
}

result<content> transcode(const content& what, const channel_capabilities& capabilities) {
    if (!capabilities.supported.contains(what.type())) {
        return as_text(what, capabilities);
    }
    switch (what.type()) {
        case content_type::text:
        case content_type::system:
            return with_short_body(what, capabilities);
        case content_type::rich:
            // Markup cut somewhere is broken markup.
            return is_too_long(what.body().value_or(""), capabilities) ? as_text(what, capabilities)
                                                                       : what;
        case content_type::composite:
            return with_fitting_parts(what, capabilities);
        case content_type::edit:
            return with_fitting_correction(what, capabilities);
        default:
            return what;
    }
}

}  // namespace convene
