// SPDX-License-Identifier: Apache-2.0
// What an agent asks people before it goes on, as it is stored (A6).
#pragma once

#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/session_values.hpp"

namespace convene {

using approval_id = text_id<struct approval_tag>;

/// What is asked for. Words and numbers are frozen.
enum class approval_kind : std::uint8_t {
    approval = 1,  ///< leave to do something
    input = 2,     ///< an answer
};

[[nodiscard]] std::string_view word_of(approval_kind kind) noexcept;

/// What became of it. Only `pending` changes, once. Words and numbers are frozen.
enum class approval_state : std::uint8_t {
    pending = 1,
    approved = 2,   ///< an input: answered
    rejected = 3,   ///< an input: not answered
    returned = 4,   ///< sent back with what is to be changed: the agent may ask again
    expired = 5,    ///< nobody decided in time
    cancelled = 6,  ///< the room was closed, or the conversation went on without it
};

[[nodiscard]] std::string_view word_of(approval_state state) noexcept;
[[nodiscard]] std::optional<approval_state> approval_state_from(std::string_view word) noexcept;

/// Calls of one tool that an approval covers once it is given.
struct approval_grant {
    std::string tool;

    /// An object. `arguments`: what the arguments are to be; `schema`: what they are to fit; neither: whatever they are.
    json_text bounds;
    std::int64_t uses = 1;  ///< so many calls
    std::int64_t used = 0;

    friend bool operator==(const approval_grant&, const approval_grant&) = default;
};

/// Asked by one call of an agent, whose result the decision is.
struct approval {
    approval_id id;
    organization_id organization;
    room_id room;
    run_id run;  ///< that asked
    std::string call_id;
    approval_kind kind = approval_kind::approval;
    std::string title;
    std::string description;
    std::vector<approval_grant> grants;
    std::optional<json_text> response_schema{};  ///< of an input's answer

    /// User ids, or `role:` and a role; empty: whoever takes part in the room and may write there.
    std::vector<std::string> deciders;
    approval_state state = approval_state::pending;
    std::string decided_by;  ///< `user:ID`, `token:ID`; empty: nobody
    json_text response;      ///< of whoever decided; any value
    std::optional<wall_time> decided_at;
    wall_time expires_at{};  ///< the store's clock, as all times
    wall_time created_at{};

    friend bool operator==(const approval&, const approval&) = default;
};

}  // namespace convene
