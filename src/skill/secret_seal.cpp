// SPDX-License-Identifier: Apache-2.0
// The place of a secret is its organisation and its name.
#include "skill/secret_seal.hpp"

namespace convene {

namespace {

constexpr std::string_view table_of_secrets = "secrets";

/// No name has a slash: whatever an organisation's id has, no two secrets share a place.
std::string row_of(const named_secret& secret) {
    return secret.organization.str() + '/' + secret.name.str();
}

}  // namespace

std::string seal_secret(
    const secret_box& box, const named_secret& of, std::string_view value, random_source& random
) {
    const std::string row = row_of(of);
    return box.seal(value, {table_of_secrets, row}, random);
}

result<std::string> open_secret(const secret_box& box, const named_secret& sealed) {
    const std::string row = row_of(sealed);
    return box.open(sealed.value, {table_of_secrets, row});
}

}  // namespace convene
