// SPDX-License-Identifier: Apache-2.0
// HMAC and the comparison of secrets, by OpenSSL.
#include "base/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/assert.hpp"

namespace convene {

sha256_digest hmac_sha256(std::span<const std::uint8_t> key, std::string_view message) {
    sha256_digest code{};
    unsigned int size = 0;
    const unsigned char* const done = HMAC(
        EVP_sha256(),
        key.data(),
        static_cast<int>(key.size()),
        reinterpret_cast<const unsigned char*>(message.data()),
        message.size(),
        code.data(),
        &size
    );
    CONVENE_ASSERT(done != nullptr && size == code.size(), "libcrypto could not compute HMAC");
    return code;
}

sha256_digest hmac_sha256(std::string_view key, std::string_view message) {
    const std::span bytes{reinterpret_cast<const std::uint8_t*>(key.data()), key.size()};
    return hmac_sha256(bytes, message);
}

bool is_equal_secret(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace convene
