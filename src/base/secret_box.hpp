// SPDX-License-Identifier: Apache-2.0
// `secret_box`: secrets that we must be able to read again, sealed for the store under the deployment's key.
#pragma once

#include "convene/error.hpp"
#include "convene/random.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.hpp"

namespace convene {

/// The key of a deployment: the setting `SECRETS_KEY`, or a file beside the database.
using deployment_key = std::array<std::uint8_t, 32>;

/// The key that padded base64 spells; nothing for another text.
[[nodiscard]] std::optional<deployment_key> parse_deployment_key(std::string_view text);

/// For the table of settings.
[[nodiscard]] bool is_deployment_key(std::string_view text);

[[nodiscard]] std::string text_of(const deployment_key& key);

[[nodiscard]] deployment_key make_deployment_key(random_source& random);

/// The row that a sealed secret belongs to: it can be opened for no other.
struct secret_place {
    std::string_view table;  ///< a word of ours, without `:`
    std::string_view id;
};

/// Seals and opens (docs/formats/secrets.md).
///
/// *Thread safety*: as of a value.
class secret_box {
   public:
    explicit secret_box(const deployment_key& key);

    /// What is stored instead of the secret. It differs each time.
    [[nodiscard]] std::string seal(
        std::string_view secret, const secret_place& place, random_source& random
    ) const;

    /// *Errors*: `corrupt_data` (sealed under another key, for another row, or changed since).
    [[nodiscard]] result<std::string> open(std::string_view sealed, const secret_place& place)
        const;

    /// A key of its own for another purpose of the deployment, which nobody can compute without its key.
    [[nodiscard]] sha256_digest key_for(std::string_view purpose) const;

   private:
    deployment_key key_;
    sha256_digest sealing_key_;
};

}  // namespace convene
