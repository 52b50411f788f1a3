// SPDX-License-Identifier: Apache-2.0
// Stable hashes, computed by OpenSSL.
#include "base/hash.hpp"

#include <bit>
#include <openssl/evp.h>

#include "base/assert.hpp"

namespace convene {

sha256_digest sha256(std::string_view bytes) {
    sha256_digest digest{};
    unsigned int size = 0;
    const int done = EVP_Digest(
        bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr
    );
    CONVENE_ASSERT(done == 1 && size == digest.size(), "libcrypto could not compute SHA-256");
    return digest;
}

struct sha256_stream::state {
    struct close_context {
        void operator()(EVP_MD_CTX* freed) const noexcept { EVP_MD_CTX_free(freed); }
    };

    std::unique_ptr<EVP_MD_CTX, close_context> context{EVP_MD_CTX_new()};
};

sha256_stream::sha256_stream() : state_(std::make_unique<state>()) {
    const int done = EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr);
    CONVENE_ASSERT(done == 1, "libcrypto could not begin SHA-256");
}

sha256_stream::~sha256_stream() = default;

void sha256_stream::add(std::string_view bytes) {
    const int done = EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
    CONVENE_ASSERT(done == 1, "libcrypto could not go on with SHA-256");
}

sha256_digest sha256_stream::finish() {
    sha256_digest digest{};
    unsigned int size = 0;
    const int done = EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size);
    CONVENE_ASSERT(done == 1 && size == digest.size(), "libcrypto could not finish SHA-256");
    return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4U];
        text += digits[byte & 0x0FU];
    }
    return text;
}

std::int64_t stable_hash64(std::string_view bytes) {
    const sha256_digest digest = sha256(bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        value = (value << 8U) | digest[i];
    }
    return std::bit_cast<std::int64_t>(value);
}

}  // namespace convene
