// SPDX-License-Identifier: Apache-2.0
// What the memory store knows of organisations, users, tokens, sessions, links, the audit trail and requests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "store/access_values.hpp"
#include "store/operations/access.hpp"

namespace convene {

/// The rows, and the rules that more than one operation has. *Thread safety*: as `tables`.
struct access_tables {
    struct request_row {
        std::string request_hash;
        std::int64_t attempt = 0;
        wall_time started_at{};
        wall_time expires_at{};
        std::optional<int> status;  ///< unset while it runs
        std::string body;
    };

    /// Null for a user who is absent or belongs to another organisation.
    [[nodiscard]] user* find_user(const organization_id& organization, const user_id& id);
    [[nodiscard]] bool is_active(const organization_id& organization, const user_id& id);
    [[nodiscard]] bool has_other_admin(const user& one) const;

    /// *Requires*: neither id nor email is known.
    const user& add_user(user added, wall_time now);
    [[nodiscard]] bool can_add(const user& wanted) const;

    void end_sessions_and_links(const user_id& id);
    void note(const std::optional<audit_entry>& entry, wall_time now);
    std::int64_t note(audit_entry entry, wall_time now);

    std::map<organization_id, organization> organizations;
    std::map<user_id, user> users;
    std::map<std::string, user_id> emails;
    std::map<secret_hash, api_token> tokens;
    std::map<secret_hash, auth_session> sessions;
    std::map<secret_hash, one_time_link> links;
    std::map<std::int64_t, audit_entry> audit;
    std::int64_t last_audit = 0;
    std::map<ops::request_key, request_row> requests;
};

}  // namespace convene
