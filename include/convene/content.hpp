// SPDX-License-Identifier: Apache-2.0
// What an event says: one of twelve content types, as checked JSON, with a text that every channel
// can show.
#pragma once

#include "convene/boundary.hpp"
#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// The words of these types (`word_of`: the name without a trailing underscore) are the `type`
/// field of content; words and numbers are frozen.
enum class content_type : std::uint8_t {
    text = 0,
    rich = 1,
    media = 2,
    location = 3,
    audio = 4,
    video = 5,
    composite = 6,
    system = 7,
    template_ = 8,
    edit = 9,
    delete_ = 10,
    tool_call = 11,
};

[[nodiscard]] std::string_view word_of(content_type type) noexcept;
[[nodiscard]] std::optional<content_type> content_type_of(std::string_view word) noexcept;

/// By whose right an event is deleted. The commit checks that the actor has it.
enum class delete_kind { sender, system, admin };

/// By whose right an event is edited.
enum class edit_origin { sender, system };

enum class tool_call_status { pending, completed, failed };

/// The fields of `tool_call` content; see `docs/formats/content.md`.
struct tool_call_fields {
    std::string tool_name;
    std::string tool_id;
    json_text arguments{};  ///< an object; another value `v` is kept as `{"value":v}`
    std::optional<json_text> result{};
    tool_call_status status = tool_call_status::pending;
    std::optional<std::int64_t> duration_ms{};
    std::optional<std::string> error{};
    std::optional<json_text> structured_content{};
};

/// The content of one event: a type and the whole JSON object, `type` included. A value; it is
/// always valid.
///
/// Content from outside comes through `parse_content`. The factories are for text that is at hand:
/// they never fail, but repair what could not be stored, and `repairs` says what: a caller's
/// content with repairs can still be refused, an agent's is kept and the event has the record.
/// *Thread safety*: as of a value.
class content {
   public:
    /// Text with an empty body.
    content();

    [[nodiscard]] static content text(std::string_view body);

    /// Replaces what `target`, which is not empty, says. Content that is no message (`is_message`)
    /// becomes its readable text.
    [[nodiscard]] static content edit(
        const event_id& target, const content& new_content, edit_origin origin = edit_origin::sender
    );

    /// Takes `target`, which is not empty, back (`delete` is a word of the language).
    [[nodiscard]] static content remove(
        const event_id& target, delete_kind kind, std::string_view reason = {}
    );

    /// A notice of the server's own. `code` is a stable word for programs, `data` an object, as
    /// above.
    [[nodiscard]] static content system(
        std::string_view body, std::string_view code = {}, const json_text& data = {}
    );

    [[nodiscard]] static content tool_call(const tool_call_fields& call);

    /// What a store kept, of this version or another: only the type is looked at.
    /// *Errors*: `corrupt_data`.
    [[nodiscard]] static result<content> from_store(std::string_view json);

    [[nodiscard]] content_type type() const noexcept { return type_; }

    [[nodiscard]] const json_text& json() const noexcept { return json_; }

    /// What a factory had to repair; empty for content from elsewhere.
    [[nodiscard]] const repair_record& repairs() const noexcept { return repairs_; }

    // Fields of some types; nothing where the type has none or it was left out.
    [[nodiscard]] std::optional<std::string> body() const;
    [[nodiscard]] std::optional<std::string> text_field(std::string_view name) const;
    [[nodiscard]] std::optional<event_id> target_event() const;    ///< of edit and delete
    [[nodiscard]] std::optional<content> new_content() const;      ///< of edit
    [[nodiscard]] std::optional<edit_origin> edit_source() const;  ///< of edit; left out: sender
    [[nodiscard]] std::optional<delete_kind> delete_type() const;  ///< of delete
    [[nodiscard]] std::optional<tool_call_status> tool_status() const;

    friend bool operator==(const content& a, const content& b) { return a.json_ == b.json_; }

   private:
    friend class content_access;  ///< makes content from JSON that was checked

    content(content_type type, json_text json, repair_record repairs)
        : type_(type), json_(std::move(json)), repairs_(repairs) {}

    content_type type_;
    json_text json_;
    repair_record repairs_;
};

/// Whether the type is something said in the conversation, and so may be a part of a composite or
/// the new content of an edit. Notices, tool calls, edits and deletions may not: nesting must not
/// smuggle them past the checks of who may send them.
[[nodiscard]] bool is_message(content_type type) noexcept;

/// Content from outside: checked field by field, unknown fields and words refused.
checked<content> parse_content(
    std::string_view json, std::string_view field = "content", const boundary_limits& limits = {}
);

/// The content as plain text, for channels and readers that can show nothing else.
[[nodiscard]] std::string readable_text(const content& what);

/// A set of content types.
class content_type_set {
   public:
    constexpr content_type_set() = default;

    constexpr content_type_set(std::initializer_list<content_type> types) {
        for (const content_type type : types) {
            insert(type);
        }
    }

    [[nodiscard]] static constexpr content_type_set all() {
        content_type_set set;
        set.bits_ = 0x0FFF;
        return set;
    }

    constexpr void insert(content_type type) { bits_ |= bit_of(type); }

    [[nodiscard]] constexpr bool contains(content_type type) const {
        return (bits_ & bit_of(type)) != 0;
    }

    friend constexpr bool operator==(content_type_set, content_type_set) = default;

   private:
    static constexpr std::uint32_t bit_of(content_type type) {
        return std::uint32_t{1} << static_cast<unsigned>(type);
    }

    std::uint32_t bits_ = 0;
};

/// What a channel can show.
struct channel_capabilities {
    content_type_set supported{content_type::text};
    std::size_t max_text_length = 0;  ///< in code points; 0: no limit; 1 and 2 count as 3
};

/// The content as the channel can show it: itself where that is supported, its parts where only
/// some are, else its readable text. Text that is too long is cut between code points and ends in
/// "…". *Errors*: `invalid_argument` when the channel shows not even text.
[[nodiscard]] result<content> transcode(
    const content& what, const channel_capabilities& capabilities
);

}  // namespace convene
