// SPDX-License-Identifier: Apache-2.0
// Content: the words of its types, the factories, and reading its fields.
#include "convene/content.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/content_access.hpp"
#include "base/content_rules.hpp"
#include "base/json.hpp"
#include "base/json_scanner.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr std::array<std::string_view, 12> type_words{
    "text",
    "rich",
    "media",
    "location",
    "audio",
    "video",
    "composite",
    "system",
    "template",
    "edit",
    "delete",
    "tool_call",
};
constexpr std::array<std::string_view, 3> delete_kind_words{"sender", "system", "admin"};
constexpr std::array<std::string_view, 2> edit_origin_words{"sender", "system"};
constexpr std::array<std::string_view, 3> tool_status_words{"pending", "completed", "failed"};

/// Enumerators count from 0 in the order of their words.
template <class Enum, std::size_t N>
std::optional<Enum> from_word(
    const std::array<std::string_view, N>& words, std::optional<std::string_view> word
) {
    const auto found = word ? std::ranges::find(words, *word) : words.end();
    if (found == words.end()) {
        return std::nullopt;
    }
    return static_cast<Enum>(found - words.begin());
}

template <class Enum, std::size_t N>
std::string_view to_word(const std::array<std::string_view, N>& words, Enum value) {
    return words[static_cast<std::size_t>(value)];
}

std::optional<content_type> type_of(std::string_view canonical_object) {
    return from_word<content_type>(type_words, find_text(canonical_object, "type"));
}

/// Writes the object of a factory's content; what it is given is repaired and the repairs are
/// summed.
class content_writer {
   public:
    explicit content_writer(content_type type) : type_(type) {
        out_.begin_object().key("type").string(word_of(type));
    }

    void text(std::string_view name, std::string_view value) {
        const cleaned_text cleaned = clean_text(value);
        repairs_ += cleaned.repairs;
        out_.key(name).string(cleaned.text);
    }

    void text_unless_empty(std::string_view name, std::string_view value) {
        if (!value.empty()) {
            text(name, value);
        }
    }

    void word(std::string_view name, std::string_view value) { out_.key(name).string(value); }

    void number(std::string_view name, std::int64_t value) { out_.key(name).integer(value); }

    void json(std::string_view name, const json_text& value) { out_.key(name).json(value); }

    /// Where only an object may stand: a model's arguments can turn out to be anything else.
    void object(std::string_view name, const json_text& value) {
        if (value.str().starts_with('{')) {
            json(name, value);
        } else {
            out_.key(name).begin_object().key("value").json(value).end_object();
        }
    }

    void add(const repair_record& repairs) { repairs_ += repairs; }

    [[nodiscard]] content finish() {
        out_.end_object();
        return content_access::make(type_, out_.take(), repairs_);
    }

   private:
    content_type type_;
    json_writer out_;
    repair_record repairs_;
};

}  // namespace

std::string_view word_of(content_type type) noexcept { return to_word(type_words, type); }

std::optional<content_type> content_type_of(std::string_view word) noexcept {
    return from_word<content_type>(type_words, word);
}

bool is_message(content_type type) noexcept {
    constexpr content_type_set messages{
        content_type::text,
        content_type::rich,
        content_type::media,
        content_type::location,
        content_type::audio,
        content_type::video,
        content_type::composite,
        content_type::template_,
    };
    return messages.contains(type);
}

content::content() : content(text({})) {}

content content::text(std::string_view body) {
    content_writer out{content_type::text};
    out.text("body", body);
    return out.finish();
}

content content::edit(const event_id& target, const content& new_content, edit_origin origin) {
    if (!is_message(new_content.type())) {
        return edit(target, text(readable_text(new_content)), origin);
    }
    content_writer out{content_type::edit};
    out.text("target_event_id", target.str());
    out.json("new_content", new_content.json());
    out.word("edit_source", to_word(edit_origin_words, origin));
    out.add(new_content.repairs());
    return out.finish();
}

content content::remove(const event_id& target, delete_kind kind, std::string_view reason) {
    content_writer out{content_type::delete_};
    out.text("target_event_id", target.str());
    out.word("delete_type", to_word(delete_kind_words, kind));
    out.text_unless_empty("reason", reason);
    return out.finish();
}

content content::system(std::string_view body, std::string_view code, const json_text& data) {
    content_writer out{content_type::system};
    out.text("body", body);
    out.text_unless_empty("code", code);
    if (data != json_text{}) {
        out.object("data", data);
    }
    return out.finish();
}

content content::tool_call(const tool_call_fields& call) {
    content_writer out{content_type::tool_call};
    out.text("tool_name", call.tool_name);
    out.text("tool_id", call.tool_id);
    out.object("arguments", call.arguments);
    if (call.result) {
        out.json("result", *call.result);
    }
    out.word("status", to_word(tool_status_words, call.status));
    if (call.duration_ms) {
        out.number("duration_ms", std::max<std::int64_t>(*call.duration_ms, 0));
    }
    if (call.error) {
        out.text("error", *call.error);
    }
    if (call.structured_content) {
        out.json("structured_content", *call.structured_content);
    }
    return out.finish();
}

result<content> content::from_store(std::string_view json) {
    constexpr boundary_limits limits = boundary_limits::of_stored_json();
    checked<scanned_json> scanned = scan_json(json, {}, limits, text_policy::reject);
    if (!scanned || !scanned->canonical.starts_with('{')) {
        return errc::corrupt_data;
    }
    const auto type = type_of(scanned->canonical);
    if (!type) {
        return errc::corrupt_data;
    }
    return content_access::make(*type, json_text::trusted(std::move(scanned->canonical)));
}

std::optional<content> content_access::from_part(std::string_view json) {
    const auto type = type_of(json);
    if (!type) {
        return std::nullopt;
    }
    return make(*type, json_text::trusted(std::string{json}));
}

checked<content> parse_content(
    std::string_view json, std::string_view field, const boundary_limits& limits
) {
    const checked<json_document> document = json_document::parse(json, field, limits);
    if (!document) {
        return document.error();
    }
    const checked<content_type> type = check_content(*document, field, limits);
    if (!type) {
        return type.error();
    }
    return content_access::make(*type, document->text());
}

std::optional<std::string> content::text_field(std::string_view name) const {
    return find_text(json_.str(), name);
}

std::optional<std::string> content::body() const { return text_field("body"); }

std::optional<event_id> content::target_event() const {
    if (type_ != content_type::edit && type_ != content_type::delete_) {
        return std::nullopt;
    }
    return event_id{text_field("target_event_id").value_or("")};
}

std::optional<content> content::new_content() const {
    if (type_ != content_type::edit) {
        return std::nullopt;
    }
    const auto part = find_member(json_.str(), "new_content");
    return part ? content_access::from_part(*part) : std::nullopt;
}

std::optional<edit_origin> content::edit_source() const {
    if (type_ != content_type::edit) {
        return std::nullopt;
    }
    const auto word = text_field("edit_source").value_or("sender");
    return from_word<edit_origin>(edit_origin_words, word);
}

std::optional<delete_kind> content::delete_type() const {
    if (type_ != content_type::delete_) {
        return std::nullopt;
    }
    return from_word<delete_kind>(delete_kind_words, text_field("delete_type"));
}

std::optional<tool_call_status> content::tool_status() const {
    if (type_ != content_type::tool_call) {
        return std::nullopt;
    }
    return from_word<tool_call_status>(tool_status_words, text_field("status"));
}

}  // namespace convene
