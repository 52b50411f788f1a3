// SPDX-License-Identifier: Apache-2.0
// Password hashes: scrypt by OpenSSL, in the text form `$scrypt$ln=15,r=8,p=1$salt$hash`.
#include "access/password.hpp"

#include <algorithm>
#include <charconv>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <optional>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr std::size_t hash_size = 32;
using password_hash = std::array<std::uint8_t, hash_size>;

constexpr std::uint64_t most_memory = 256ULL * 1024 * 1024;

std::uint64_t memory_of(const scrypt_cost& cost) {
    // The table, the blocks of each lane and a little more.
    const std::uint64_t table = 128ULL * static_cast<std::uint64_t>(cost.r) << cost.log2_n;
    const std::uint64_t lanes = 128ULL * static_cast<std::uint64_t>(cost.r) *
                                static_cast<std::uint64_t>(cost.p);
    return table + lanes + 64ULL * 1024;
}

bool is_affordable(const scrypt_cost& cost) {
    const bool is_bounded = cost.log2_n >= 1 && cost.log2_n <= 20 && cost.r >= 1 && cost.r <= 32 &&
                            cost.p >= 1 && cost.p <= 16;
    return is_bounded && memory_of(cost) <= most_memory;
}

password_hash scrypt(
    std::string_view password, std::span<const std::uint8_t> salt, const scrypt_cost& cost
) {
    password_hash hash{};
    const int done = EVP_PBE_scrypt(
        password.data(),
        password.size(),
        salt.data(),
        salt.size(),
        1ULL << cost.log2_n,
        static_cast<std::uint64_t>(cost.r),
        static_cast<std::uint64_t>(cost.p),
        memory_of(cost),
        hash.data(),
        hash.size()
    );
    CONVENE_ASSERT(done == 1, "libcrypto could not compute scrypt");
    return hash;
}

std::string text_of(
    const scrypt_cost& cost, std::span<const std::uint8_t> salt, std::span<const std::uint8_t> hash
) {
    std::string text = "$scrypt$ln=" + std::to_string(cost.log2_n);
    text += ",r=" + std::to_string(cost.r);
    text += ",p=" + std::to_string(cost.p);
    text += '$' + to_base64(salt, base64_form::standard);
    text += '$' + to_base64(hash, base64_form::standard);
    return text;
}

/// Reads from the front of a text. What was refused once refuses for ever.
class text_reader {
   public:
    explicit text_reader(std::string_view text) : rest_(text) {}

    void skip(std::string_view expected) {
        is_good_ = is_good_ && rest_.starts_with(expected);
        if (is_good_) {
            rest_.remove_prefix(expected.size());
        }
    }

    int number() {
        int value = 0;
        const auto [end, failure] = std::from_chars(
            rest_.data(), rest_.data() + rest_.size(), value
        );
        is_good_ = is_good_ && failure == std::errc{};
        if (is_good_) {
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        }
        return value;
    }

    std::vector<std::uint8_t> bytes() {
        const std::string_view text = rest_.substr(0, rest_.find('$'));
        std::optional<std::vector<std::uint8_t>> read = from_base64(text, base64_form::standard);
        is_good_ = is_good_ && read.has_value();
        if (!is_good_) {
            return {};
        }
        rest_.remove_prefix(text.size());
        return *std::move(read);
    }

    [[nodiscard]] bool is_at_end() const { return is_good_ && rest_.empty(); }

   private:
    std::string_view rest_;
    bool is_good_ = true;
};

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

checked<> check_password(std::string_view password, std::string_view field) {
    boundary_limits limits;
    limits.max_text_bytes = max_password_bytes;
    checked<> text = check_text(password, field, limits);
    if (!text) {
        return text;
    }
    if (characters_in(password) < min_password_characters) {
        return boundary_error{std::string{field}, boundary_reason::too_short};
    }
    return text;
}

std::string hash_password(
    std::string_view password, const password_salt& salt, const scrypt_cost& cost
) {
    CONVENE_ASSERT(is_affordable(cost), "a cost of password hashes that is out of range");
    return text_of(cost, salt, scrypt(password, salt, cost));
}

bool is_password(std::string_view password, std::string_view stored) {
    text_reader reader{stored};
    scrypt_cost cost;
    reader.skip("$scrypt$ln=");
    cost.log2_n = reader.number();
    reader.skip(",r=");
    cost.r = reader.number();
    reader.skip(",p=");
    cost.p = reader.number();
    reader.skip("$");
    const std::vector<std::uint8_t> salt = reader.bytes();
    reader.skip("$");
    const std::vector<std::uint8_t> hash = reader.bytes();
    if (!reader.is_at_end() || hash.size() != hash_size || !is_affordable(cost)) {
        return false;
    }
    const password_hash computed = scrypt(password, salt, cost);
    return CRYPTO_memcmp(computed.data(), hash.data(), hash_size) == 0;
}

std::string unmatched_hash(const scrypt_cost& cost) {
    // Finding a password with the hash 00...0 is as hard as breaking scrypt.
    return text_of(cost, password_salt{}, password_hash{});
}

}  // namespace convene
