// SPDX-License-Identifier: Apache-2.0
// The key that seals secrets in the database, and which addresses outgoing requests may reach: from the settings.
#pragma once

#include "convene/random.hpp"

#include "app/database_place.hpp"
#include "base/config/configuration.hpp"
#include "base/secret_box.hpp"
#include "net/address_policy.hpp"

namespace convene {

/// `SECRETS_KEY`; without it the key in the file `<database>.key`, which is made at first use for its owner alone. A
/// database on a server has no place beside it that all workers see: there it has to be given.
/// *Requires*: a database in a file is open, with this process as its one writer. *Errors*: a file that can't be read or made, or holds no
/// key.
[[nodiscard]] outcome<deployment_key> load_deployment_key(
    const configuration& settings, const database_place& place, random_source& random
);

/// The public addresses, and what `OUTGOING_ALLOWED` names.
[[nodiscard]] address_policy outgoing_policy_of(const configuration& settings);

}  // namespace convene
