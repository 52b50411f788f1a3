// SPDX-License-Identifier: Apache-2.0
// Secrets of remote hooks in their box.
#include "hook/hook_secrets.hpp"

#include <optional>
#include <string>
#include <utility>

namespace convene {

namespace {

secret_place place_of(const remote_hook& hook) { return {.table = "hooks", .id = hook.id.str()}; }

}  // namespace

result<std::vector<webhook_secret>> open_hook_secrets(
    const secret_box& box, const remote_hook& hook, wall_time now
) {
    std::vector<std::string> sealed{hook.secret};
    if (!hook.previous_secret.empty() && hook.previous_until && now < *hook.previous_until) {
        sealed.push_back(hook.previous_secret);
    }
    std::vector<webhook_secret> secrets;
    for (const std::string& one : sealed) {
        const result<std::string> text = box.open(one, place_of(hook));
        if (!text) {
            return text.error();
        }
        std::optional<webhook_secret> secret = webhook_secret::parse(*text);
        if (!secret) {
            return errc::corrupt_data;
        }
        secrets.push_back(*std::move(secret));
    }
    return secrets;
}

void seal_hook_secret(
    const secret_box& box,
    const webhook_secret& secret,
    wall_time previous_until,
    random_source& random,
    remote_hook* hook
) {
    hook->previous_secret = std::exchange(
        hook->secret, box.seal(secret.text(), place_of(*hook), random)
    );
    hook->previous_until.reset();
    if (!hook->previous_secret.empty()) {
        hook->previous_until = previous_until;
    }
}

}  // namespace convene
