// SPDX-License-Identifier: Apache-2.0
// Secret service: sealed before it is stored; then whoever waits for it is pulled.
#include "skill/secret_service.hpp"

#include "convene/wait.hpp"

#include <utility>

#include "skill/secret_seal.hpp"

namespace convene {

namespace {

audit_entry line_of(audit_entry by, std::string action, const secret_name& name) {
    by.action = std::move(action);
    by.target = name.str();
    return by;
}

}  // namespace

awaitable<result<ops::put_secret::answer>> secret_service::put(
    secret_name name, std::string value, std::string description, audit_entry by
) {
    if (!is_secret_name(name.str())) {
        co_return errc::invalid_argument;
    }
    ops::put_secret request;
    request.secret.organization = by.organization;
    request.secret.name = std::move(name);
    request.secret.description = std::move(description);
    request.secret.value = seal_secret(*parts_.secrets, request.secret, value, *parts_.random);
    request.audit = line_of(by, "secret.stored", request.secret.name);
    auto stored = co_await shielded(parts_.store->run(std::move(request)));
    if (stored && !stored->is_new) {
        co_await shielded(pull_again(stored->stored.used_by, std::move(by)));
    }
    co_return stored;
}

/// One that is being pulled may have read the value from before: it is pulled once more after that.
awaitable<void> secret_service::pull_again(std::vector<secret_user> users, audit_entry by) {
    for (const secret_user& one : users) {
        const auto known = co_await parts_.skills->get(by.organization, one.skill);
        if (!known || known->state == skill_state::ready) {
            continue;
        }
        const auto wanting = co_await parts_.skills->want_pull(one.skill, by);
        static_cast<void>(wanting);  // the secret is stored: the next pull reads it
    }
}

awaitable<result<std::vector<listed_secret>>> secret_service::list(organization_id of) {
    ops::list_secrets request{std::move(of)};
    auto found = co_await parts_.store->run(std::move(request));
    co_return found;
}

awaitable<result<ops::delete_secret::answer>> secret_service::remove(
    secret_name name, audit_entry by
) {
    organization_id of = by.organization;
    audit_entry line = line_of(std::move(by), "secret.removed", name);
    ops::delete_secret request{std::move(of), std::move(name), std::move(line)};
    auto removed = co_await shielded(parts_.store->run(std::move(request)));
    co_return removed;
}

}  // namespace convene
