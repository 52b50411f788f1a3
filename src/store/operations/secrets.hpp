// SPDX-License-Identifier: Apache-2.0
// Store operations on the secrets of an organisation that skills name.
//
// All times are the store's clock. A change carries the line of the audit trail that tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/access_values.hpp"
#include "store/secret_values.hpp"

namespace convene::ops {

/// Stores a secret, or another value and description of the one that has this name.
/// *Errors*: `overloaded` (a new one, and the organisation has `most_secrets`).
struct put_secret {
    struct answer {
        listed_secret stored;
        bool is_new = false;
    };

    named_secret secret;
    std::optional<audit_entry> audit{};
};

/// With its value. *Errors*: `not_found`.
struct get_secret {
    using answer = named_secret;
    organization_id organization;
    secret_name name;
};

/// In the order of names.
struct list_secrets {
    using answer = std::vector<listed_secret>;
    organization_id organization;
};

/// What came of a wish to delete a secret.
enum class secret_deletion : std::uint8_t {
    done = 1,
    not_found = 2,
    in_use = 3,  ///< skills name it: it stays
};

struct delete_secret {
    struct answer {
        secret_deletion outcome = secret_deletion::done;
        std::vector<secret_user> used_by;  ///< who keeps it, in the order of ids
    };

    organization_id organization;
    secret_name name;
    std::optional<audit_entry> audit{};
};

}  // namespace convene::ops
