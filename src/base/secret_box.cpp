// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM by OpenSSL, with the place of a secret as associated data.
#include "base/secret_box.hpp"

#include <algorithm>
#include <memory>
#include <openssl/evp.h>
#include <span>
#include <vector>

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "base/hmac.hpp"

namespace convene {

namespace {

constexpr std::string_view version_prefix = "v1.";
constexpr std::string_view sealing_purpose = "convene seal 1";
constexpr int nonce_bytes = 12;
constexpr int tag_bytes = 16;

struct free_context {
    void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};

using cipher_context = std::unique_ptr<EVP_CIPHER_CTX, free_context>;

cipher_context make_context() {
    cipher_context context{EVP_CIPHER_CTX_new()};
    CONVENE_ASSERT(context != nullptr, "libcrypto has no memory for a cipher");
    return context;
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string associated_data(const secret_place& place) {
    CONVENE_ASSERT(place.table.find(':') == std::string_view::npos, "a table's name has no colon");
    std::string data{place.table};
    data += ':';
    data += place.id;
    return data;
}

}  // namespace

std::optional<deployment_key> parse_deployment_key(std::string_view text) {
    const std::optional<std::vector<std::uint8_t>> bytes = from_base64(text, base64_form::padded);
    deployment_key key{};
    if (!bytes || bytes->size() != key.size()) {
        return std::nullopt;
    }
    std::ranges::copy(*bytes, key.begin());
    return key;
}

bool is_deployment_key(std::string_view text) { return parse_deployment_key(text).has_value(); }

std::string text_of(const deployment_key& key) { return to_base64(key, base64_form::padded); }

deployment_key make_deployment_key(random_source& random) {
    deployment_key key{};
    random.fill(key);
    return key;
}

secret_box::secret_box(const deployment_key& key)
    : key_(key), sealing_key_(hmac_sha256(key, sealing_purpose)) {}

std::string secret_box::seal(
    std::string_view secret, const secret_place& place, random_source& random
) const {
    const std::string data = associated_data(place);
    const auto size = static_cast<int>(secret.size());
    std::vector<std::uint8_t> sealed(nonce_bytes + secret.size() + tag_bytes);
    random.fill(std::span{sealed}.first(nonce_bytes));
    std::uint8_t* const body = sealed.data() + nonce_bytes;
    std::uint8_t* const tag = body + size;

    const cipher_context context = make_context();
    int written = 0;
    const bool is_sealed = EVP_EncryptInit_ex(
                               context.get(),
                               EVP_aes_256_gcm(),
                               nullptr,
                               sealing_key_.data(),
                               sealed.data()
                           ) == 1 &&
                           EVP_EncryptUpdate(
                               context.get(),
                               nullptr,
                               &written,
                               bytes_of(data),
                               static_cast<int>(data.size())
                           ) == 1 &&
                           EVP_EncryptUpdate(
                               context.get(), body, &written, bytes_of(secret), size
                           ) == 1 &&
                           EVP_EncryptFinal_ex(context.get(), tag, &written) == 1 &&
                           EVP_CIPHER_CTX_ctrl(
                               context.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes, tag
                           ) == 1;
    CONVENE_ASSERT(is_sealed, "libcrypto could not encrypt");
    return std::string{version_prefix} + to_base64(sealed, base64_form::url);
}

result<std::string> secret_box::open(std::string_view sealed, const secret_place& place) const {
    if (!sealed.starts_with(version_prefix)) {
        return errc::corrupt_data;
    }
    std::optional<std::vector<std::uint8_t>> bytes = from_base64(
        sealed.substr(version_prefix.size()), base64_form::url
    );
    if (!bytes || bytes->size() < nonce_bytes + tag_bytes) {
        return errc::corrupt_data;
    }
    const std::string data = associated_data(place);
    const std::uint8_t* const body = bytes->data() + nonce_bytes;
    const auto size = static_cast<int>(bytes->size()) - nonce_bytes - tag_bytes;
    std::uint8_t* const tag = bytes->data() + nonce_bytes + size;
    // One byte more, so that there is an address to write an empty secret to.
    std::vector<std::uint8_t> secret(static_cast<std::size_t>(size) + 1);

    const cipher_context context = make_context();
    int written = 0;
    const bool is_opened = EVP_DecryptInit_ex(
                               context.get(),
                               EVP_aes_256_gcm(),
                               nullptr,
                               sealing_key_.data(),
                               bytes->data()
                           ) == 1 &&
                           EVP_DecryptUpdate(
                               context.get(),
                               nullptr,
                               &written,
                               bytes_of(data),
                               static_cast<int>(data.size())
                           ) == 1 &&
                           EVP_DecryptUpdate(context.get(), secret.data(), &written, body, size) ==
                               1 &&
                           EVP_CIPHER_CTX_ctrl(
                               context.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes, tag
                           ) == 1 &&
                           EVP_DecryptFinal_ex(context.get(), secret.data() + size, &written) == 1;
    if (!is_opened) {
        return errc::corrupt_data;
    }
    return std::string{secret.begin(), secret.end() - 1};
}

sha256_digest secret_box::key_for(std::string_view purpose) const {
    CONVENE_ASSERT(purpose != sealing_purpose, "the sealing key has one purpose");
    return hmac_sha256(key_, purpose);
}

}  // namespace convene
