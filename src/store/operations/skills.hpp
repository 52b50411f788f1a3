// SPDX-License-Identifier: Apache-2.0
// Store operations on skills, their pulls, and what is pinned to their revisions.
//
// All times are the store's clock. A change carries the line of the audit trail that tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/access_values.hpp"
#include "store/skill_values.hpp"

namespace convene::ops {

/// Stores a new skill (version 0), or name and source of the one that was read as this version. A new one, and one
/// whose source changes, wants a pull. *Errors*: `already_exists` (new, and the id is known), `not_found`,
/// `room_changed` (it has another version by now: read again and decide again), `invalid_argument` (it names a secret
/// that the organisation does not have).
struct put_skill {
    using answer = skill;
    skill changed;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`.
struct get_skill {
    using answer = skill;
    organization_id organization;
    skill_id id;
};

/// In the order of ids; of one organisation, in one state, where these are set.
struct list_skills {
    using answer = std::vector<skill>;
    std::optional<organization_id> organization;
    std::optional<skill_state> state{};
};

/// What came of a wish to delete a skill.
enum class skill_deletion : std::uint8_t {
    done = 1,
    not_found = 2,
    pinned = 3,  ///< something needs one of its revisions: it stays
};

struct delete_skill {
    using answer = skill_deletion;
    organization_id organization;
    skill_id id;
    std::optional<audit_entry> audit{};
};

/// One more pull, after whichever is under way. *Errors*: `not_found`.
struct want_skill_pull {
    using answer = skill;
    organization_id organization;
    skill_id id;
    std::optional<audit_entry> audit{};
};

/// A worker takes up what is wanted: the epoch rises, and who pulled before is fenced. Call it under the skill's lease.
/// A skill that wants no pull is answered as it is. *Errors*: `not_found`.
struct begin_skill_pull {
    using answer = skill;
    organization_id organization;
    skill_id id;
};

/// What came of a pull. With an error the revision stays. The skill goes on wanting a pull if one more was asked for
/// since it began. *Errors*: `not_found`, `lease_lost` (another worker has begun a pull since).
struct end_skill_pull {
    using answer = skill;
    organization_id organization;
    skill_id id;
    std::int64_t epoch = 0;   ///< as `begin_skill_pull` answered it, as the next
    std::int64_t wanted = 0;  ///< `pulls_wanted`
    revision_id revision;
    std::string error{};  ///< empty: `revision` is the current one
    std::string error_detail{};
};

/// The holder needs this revision, and no other any more. *Errors*: `not_found` (the skill).
struct pin_skill {
    using answer = skill_pin;
    skill_pin pin;
};

/// Answers whether the holder had one.
struct unpin_skill {
    using answer = bool;
    organization_id organization;
    std::string holder_kind;
    std::string holder;
};

/// In the order of (holder kind, holder).
struct list_skill_pins {
    using answer = std::vector<skill_pin>;
    organization_id organization;
    skill_id skill;
};

/// One value that all workers of the deployment go by: the first that anybody proposed. Empty: nobody has, and nothing
/// is proposed.
struct agree_on_marker {
    using answer = std::string;
    std::string name;
    std::string proposed;  ///< empty: only looks
};

}  // namespace convene::ops
