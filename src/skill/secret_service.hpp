// SPDX-License-Identifier: Apache-2.0
// Secrets that skills name, as the surfaces use them: given, listed without their values, removed.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/random.hpp"

#include <string>
#include <vector>

#include "base/secret_box.hpp"
#include "skill/skill_service.hpp"
#include "store/operations/secrets.hpp"
#include "store/store.hpp"

namespace convene {

/// Owns none; they outlive the service.
struct secret_service_parts {
    conversation_store* store = nullptr;
    random_source* random = nullptr;
    const secret_box* secrets = nullptr;
    skill_service* skills = nullptr;
};

/// *Thread safety*: loop only. *Errors*: each operation's own, and those of the store.
class secret_service {
   public:
    explicit secret_service(secret_service_parts parts) : parts_(parts) {}

    /// Seals a value under a name, in the place of the one before. Of the skills that name it, those are pulled again
    /// whose last pull failed, or may still be made with the value from before. `by`: whoever acts.
    /// *Errors*: `invalid_argument` (the name can't be one), `overloaded` (there are as many as there can be).
    [[nodiscard]] awaitable<result<ops::put_secret::answer>> put(
        secret_name name, std::string value, std::string description, audit_entry by
    );

    [[nodiscard]] awaitable<result<std::vector<listed_secret>>> list(organization_id of);

    [[nodiscard]] awaitable<result<ops::delete_secret::answer>> remove(
        secret_name name, audit_entry by
    );

   private:
    [[nodiscard]] awaitable<void> pull_again(std::vector<secret_user> users, audit_entry by);

    const secret_service_parts parts_;
};

}  // namespace convene
