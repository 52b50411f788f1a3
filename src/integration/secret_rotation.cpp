// SPDX-License-Identifier: Apache-2.0
// One secret, or two for a while.
#include "integration/secret_rotation.hpp"

#include <optional>
#include <string>
#include <utility>

namespace convene {

namespace {

result<webhook_secret> open_one(
    const secret_box& box, const secret_place& place, const std::string& sealed
) {
    const result<std::string> text = box.open(sealed, place);
    if (!text) {
        return text.error();
    }
    std::optional<webhook_secret> secret = webhook_secret::parse(*text);
    if (!secret) {
        return errc::corrupt_data;
    }
    return *std::move(secret);
}

}  // namespace

result<std::vector<webhook_secret>> open_secrets(
    const secret_box& box, const secret_place& place, const sealed_secrets& sealed, wall_time now
) {
    std::vector<webhook_secret> secrets;
    result<webhook_secret> current = open_one(box, place, sealed.current);
    if (!current) {
        return current.error();
    }
    secrets.push_back(*std::move(current));
    if (!sealed.previous.empty() && now < sealed.previous_until) {
        result<webhook_secret> previous = open_one(box, place, sealed.previous);
        if (!previous) {
            return previous.error();
        }
        secrets.push_back(*std::move(previous));
    }
    return secrets;
}

sealed_secrets seal_first(
    const secret_box& box,
    const secret_place& place,
    const webhook_secret& secret,
    random_source& random
) {
    sealed_secrets sealed;
    sealed.current = box.seal(secret.text(), place, random);
    return sealed;
}

sealed_secrets rotate(
    const secret_box& box,
    const secret_place& place,
    const sealed_secrets& before,
    const webhook_secret& next,
    wall_time previous_until,
    random_source& random
) {
    sealed_secrets sealed = seal_first(box, place, next, random);
    sealed.previous = before.current;
    sealed.previous_until = previous_until;
    return sealed;
}

}  // namespace convene
