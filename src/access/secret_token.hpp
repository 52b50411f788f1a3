// SPDX-License-Identifier: Apache-2.0
// Secrets that we make: API tokens, session cookies, links (docs/formats/secrets.md).
#pragma once

#include "convene/random.hpp"

#include <string>
#include <string_view>

#include "store/access_values.hpp"

namespace convene {

enum class secret_kind {
    api_token,  ///< `cvt_...`
    session,    ///< `cvs_...`
    link,       ///< `cvl_...`
};

/// The text goes to its owner and is then forgotten; the hash is what is stored.
struct secret_token {
    std::string text;
    secret_hash hash;
};

/// A new secret of 256 random bits.
[[nodiscard]] secret_token make_secret(secret_kind kind, random_source& random);

/// Of any secret, also of one that we did not make.
[[nodiscard]] secret_hash hash_of_secret(std::string_view text);

/// True if a text could be a secret of that kind: others need no look into the store.
[[nodiscard]] bool has_form_of(secret_kind kind, std::string_view text);

}  // namespace convene
