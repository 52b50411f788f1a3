// SPDX-License-Identifier: Apache-2.0
// The CSRF value: HMAC-SHA256 of a fixed text under the session's secret.
#include "access/csrf.hpp"

#include <array>
#include <cstdint>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "access/base64.hpp"
#include "access/secret_token.hpp"
#include "base/assert.hpp"

namespace convene {

namespace {

// Frozen: workers of two versions serve one page.
constexpr std::string_view purpose = "convene csrf 1";

}  // namespace

std::string csrf_value(std::string_view session_secret) {
    std::array<std::uint8_t, 32> code{};
    unsigned int size = 0;
    const unsigned char* const done = HMAC(
        EVP_sha256(),
        session_secret.data(),
        static_cast<int>(session_secret.size()),
        reinterpret_cast<const unsigned char*>(purpose.data()),
        purpose.size(),
        code.data(),
        &size
    );
    CONVENE_ASSERT(done != nullptr && size == code.size(), "libcrypto could not compute HMAC");
    return to_base64(code, base64_alphabet::url);
}

bool is_csrf_value(std::string_view given, std::string_view session_secret) {
    return is_equal_secret(given, csrf_value(session_secret));
}

}  // namespace convene
