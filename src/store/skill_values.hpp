// SPDX-License-Identifier: Apache-2.0
// Skills, and who needs which of their revisions, as they are stored.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/secret_values.hpp"

namespace convene {

/// A commit of a skill's repository, in lower-case hexadecimal.
using revision_id = text_id<struct revision_tag>;

/// What came of the last pull. Words and numbers are frozen.
enum class skill_state : std::uint8_t {
    cloning = 1,  ///< a pull is wanted, or under way
    ready = 2,
    failed = 3,  ///< the revision from before, if there is one, stays good
};

[[nodiscard]] std::string_view word_of(skill_state state) noexcept;

/// Where a skill comes from: what a pull reads.
struct skill_source {
    std::string url;
    std::string reference;  ///< a branch, a tag or a commit; empty: what the repository shows first
    std::string path;       ///< the skill's folder in the repository; empty: all of it
    std::string username;   ///< empty: the repository is read without credentials
    std::string password;   ///< sealed (`base/secret_box.hpp`)
    secret_name secret{};   ///< whose value is the password, instead of the one above

    friend bool operator==(const skill_source&, const skill_source&) = default;
};

struct skill {
    skill_id id;
    organization_id organization;
    std::int64_t version = 0;  ///< raised by every change but those of pulls; 0: not stored yet
    std::string name;
    skill_source source;
    skill_state state = skill_state::cloning;
    revision_id revision;                ///< the current one; empty: none was pulled yet
    std::string error;                   ///< of the last pull: a stable word; empty: none
    std::string error_detail;            ///< for people: what and where, and what helps
    std::int64_t pulls_wanted = 0;       ///< raised with every wish for a pull
    std::int64_t pull_epoch = 0;         ///< raised whenever a worker begins one
    std::optional<wall_time> pulled_at;  ///< when the current revision was found to be the newest
    wall_time created_at{};              ///< the store's clock, as the next
    wall_time updated_at{};              ///< of the last change of `version`

    friend bool operator==(const skill&, const skill&) = default;
};

/// The kind of a holder that is an execution; its id is the execution's room.
inline constexpr const char* execution_holder = "execution";

/// Something that needs a revision, which is kept for as long as it does. A holder has one.
struct skill_pin {
    organization_id organization;
    std::string holder_kind;  ///< a stable word
    std::string holder;       ///< an id of that kind
    skill_id skill;
    revision_id revision;

    friend bool operator==(const skill_pin&, const skill_pin&) = default;
};

}  // namespace convene
