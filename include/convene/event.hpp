// SPDX-License-Identifier: Apache-2.0
// Events: what a room's timeline is made of.
#pragma once

#include "convene/content.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What happened. The words (see `word_of`) are frozen: they are stored.
enum class event_type : std::uint8_t {
    message = 1,
    system = 2,
    edit = 3,
    remove = 4,  ///< a soft delete; the word is `delete`
    reaction = 5,
    tool_call_start = 6,
    tool_call_end = 7,
    participant_joined = 8,
    participant_left = 9,
    channel_attached = 10,
    channel_detached = 11,
    task_created = 12,
    observation = 13,
    custom = 14,
};

[[nodiscard]] std::string_view word_of(event_type type) noexcept;
[[nodiscard]] std::optional<event_type> event_type_from(std::string_view word) noexcept;

enum class event_status : std::uint8_t {
    accepted = 1,  ///< part of the conversation
    blocked = 2,  ///< refused by a hook, a permission or a limit; kept with its reason, never shown
};

[[nodiscard]] std::string_view word_of(event_status status) noexcept;

/// Who sees an event or what a binding may see. Text form: `all`, `none`, `transport`, `intelligence`,
/// `internal`, or channel ids separated by commas.
class visibility {
   public:
    enum class scope : std::uint8_t { all, none, transport, intelligence, internal, channels };

    visibility() = default;

    explicit visibility(scope s) : scope_(s) {}

    explicit visibility(std::vector<channel_id> channels)
        : scope_(scope::channels), channels_(std::move(channels)) {}

    /// *Errors*: `invalid_argument` for an empty word or an empty id in a list.
    [[nodiscard]] static result<visibility> parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    [[nodiscard]] scope kind() const noexcept { return scope_; }

    [[nodiscard]] const std::vector<channel_id>& channels() const noexcept { return channels_; }

    friend bool operator==(const visibility&, const visibility&) = default;

   private:
    scope scope_ = scope::all;
    std::vector<channel_id> channels_;
};

/// Where an event came from.
struct event_source {
    channel_id channel;          ///< the binding it entered through
    std::string channel_type;    ///< `websocket`, `sms`, `agent`, ...
    participant_id participant;  ///< the author, if known
    std::string external_id;     ///< the sender's id at the provider
    std::string provider_message_id;

    friend bool operator==(const event_source&, const event_source&) = default;
};

/// What all delivery rows of an event share; fixed when the event is committed.
struct event_plan {
    config_version config = 0;  ///< bindings as of the commit
    cascade_id cascade;         ///< the root event of the cascade
    std::int32_t budget = 0;    ///< how many further events this event may cause in all
    std::string trace_parent;   ///< W3C traceparent of the request, or empty

    friend bool operator==(const event_plan&, const event_plan&) = default;
};

/// One entry of a room's timeline.
///
/// `index`, `committed_by` and `created_at` are set by the commit; an event not yet committed has index -1.
struct room_event {
    event_id id;
    room_id room;
    event_index index;
    event_type type = event_type::message;
    convene::content content;
    event_source source;
    event_status status = event_status::accepted;
    std::string blocked_by;    ///< hook or rule, if blocked
    std::string block_reason;  ///< stable `snake_case` word, if blocked
    convene::visibility visibility;
    std::optional<std::vector<channel_id>>
        addressed_to;  ///< empty list: addressed to nobody; unset: to everybody
    std::optional<convene::visibility> response_visibility;  ///< what answers to it get
    std::int32_t chain_depth = 0;
    event_id caused_by;  ///< the trigger of a reply, an injected event or a segment
    event_id parent;     ///< the thread's root
    std::string correlation_id;
    std::string idempotency_key;  ///< unique in the room when not empty
    std::string request_hash;     ///< of the body sent with the key, hex SHA-256
    json_text metadata;
    bool is_edited = false;
    bool is_deleted =
        false;  ///< soft-deleted: content stays for authority checks, readers get a tombstone
    event_plan plan;
    incarnation_id committed_by;
    wall_time created_at{};

    friend bool operator==(const room_event&, const room_event&) = default;
};

}  // namespace convene
