// SPDX-License-Identifier: Apache-2.0
// HMAC-SHA256 of `id.timestamp.body`, as Standard Webhooks 1.x has it.
#include "webhook/signature.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"
#include "base/base64.hpp"
#include "base/hmac.hpp"

namespace convene {

namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr std::size_t generated_bytes = 32;
constexpr std::size_t min_secret_bytes = 24;
constexpr std::size_t max_secret_bytes = 64;

constexpr std::string_view version_prefix = "v1,";

constexpr std::size_t max_id_characters = 256;
constexpr std::size_t max_timestamp_digits = 12;
// A sender has two secrets while it replaces one; some keep more versions beside each other.
constexpr std::size_t max_signatures = 16;
constexpr std::size_t max_signature_characters = 4096;

/// A full stop would let `id.timestamp` be cut in two ways.
bool is_id(std::string_view id) {
    return !id.empty() && id.size() <= max_id_characters &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c < '\x7F' && c != '.'; });
}

std::optional<seconds> parse_timestamp(std::string_view text) {
    if (text.empty() || text.size() > max_timestamp_digits ||
        !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) {
        return std::nullopt;
    }
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return seconds{value};
}

std::string signature_of(
    const webhook_headers& headers, std::string_view body, const webhook_secret& secret
) {
    std::string message = headers.id;
    message += '.';
    message += headers.timestamp;
    message += '.';
    message += body;
    std::string signature{version_prefix};
    signature += to_base64(hmac_sha256(secret.key(), message), base64_form::padded);
    return signature;
}

/// The signatures of a field, those of unknown versions too; nothing if they are more than anybody sends.
std::optional<std::vector<std::string_view>> split_signatures(std::string_view field) {
    if (field.size() > max_signature_characters) {
        return std::nullopt;
    }
    std::vector<std::string_view> signatures;
    while (!field.empty()) {
        const std::size_t end = std::min(field.find(' '), field.size());
        signatures.push_back(field.substr(0, end));
        field.remove_prefix(std::min(end + 1, field.size()));
    }
    if (signatures.size() > max_signatures) {
        return std::nullopt;
    }
    return signatures;
}

}  // namespace

std::optional<webhook_secret> webhook_secret::parse(std::string_view text) {
    if (!text.starts_with(secret_prefix)) {
        return std::nullopt;
    }
    std::optional<std::vector<std::uint8_t>> key = from_base64(
        text.substr(secret_prefix.size()), base64_form::padded
    );
    if (!key || key->size() < min_secret_bytes || key->size() > max_secret_bytes) {
        return std::nullopt;
    }
    return webhook_secret{*std::move(key)};
}

webhook_secret webhook_secret::generate(random_source& random) {
    std::vector<std::uint8_t> key(generated_bytes);
    random.fill(key);
    return webhook_secret{std::move(key)};
}

std::string webhook_secret::text() const {
    return std::string{secret_prefix} + to_base64(key_, base64_form::padded);
}

bool is_webhook_secret(std::string_view text) { return webhook_secret::parse(text).has_value(); }

webhook_headers sign_webhook(
    std::string id, wall_time at, std::string_view body, std::span<const webhook_secret> secrets
) {
    CONVENE_ASSERT(!secrets.empty(), "a webhook is signed with at least one secret");
    CONVENE_ASSERT(is_id(id), "the id of a webhook is visible ASCII without a full stop");
    webhook_headers headers{.id = std::move(id)};
    const auto since_epoch = std::chrono::floor<seconds>(at.time_since_epoch());
    headers.timestamp = std::to_string(since_epoch.count());
    for (const webhook_secret& secret : secrets) {
        headers.signature += headers.signature.empty() ? "" : " ";
        headers.signature += signature_of(headers, body, secret);
    }
    return headers;
}

std::string_view word_of(webhook_refusal refusal) noexcept {
    switch (refusal) {
        case webhook_refusal::missing_header:
            return "missing_header";
        case webhook_refusal::malformed:
            return "malformed";
        case webhook_refusal::too_old:
            return "too_old";
        case webhook_refusal::too_new:
            return "too_new";
        case webhook_refusal::wrong_signature:
            return "wrong_signature";
    }
    return {};
}

std::optional<webhook_refusal> refusal_of_webhook(
    const webhook_headers& headers,
    std::string_view body,
    std::span<const webhook_secret> secrets,
    wall_time now
) {
    if (headers.id.empty() || headers.timestamp.empty() || headers.signature.empty()) {
        return webhook_refusal::missing_header;
    }
    const std::optional<seconds> signed_at = parse_timestamp(headers.timestamp);
    const std::optional<std::vector<std::string_view>> given = split_signatures(headers.signature);
    if (!is_id(headers.id) || !signed_at || !given) {
        return webhook_refusal::malformed;
    }

    const seconds since_epoch = std::chrono::floor<seconds>(now.time_since_epoch());
    if (*signed_at < since_epoch - webhook_window) {
        return webhook_refusal::too_old;
    }
    if (*signed_at > since_epoch + webhook_window) {
        return webhook_refusal::too_new;
    }

    // All are compared, so that the time taken does not tell which secret is the right one.
    bool is_genuine = false;
    for (const webhook_secret& secret : secrets) {
        const std::string expected = signature_of(headers, body, secret);
        for (const std::string_view signature : *given) {
            const bool is_equal = is_equal_secret(signature, expected);
            is_genuine = is_genuine || is_equal;
        }
    }
    if (!is_genuine) {
        return webhook_refusal::wrong_signature;
    }
    return std::nullopt;
}

}  // namespace convene
