// SPDX-License-Identifier: Apache-2.0
// Signatures of webhooks by Standard Webhooks 1.x: made and verified, without I/O (docs/formats/webhooks.md).
#pragma once

#include "convene/random.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene {

/// What sender and receiver of a webhook share. Its text is shown once and kept sealed (`secret_box`).
class webhook_secret {
   public:
    /// `whsec_` and the padded base64 of 24 to 64 bytes; nothing for another text.
    [[nodiscard]] static std::optional<webhook_secret> parse(std::string_view text);

    /// A new one of 256 random bits.
    [[nodiscard]] static webhook_secret generate(random_source& random);

    [[nodiscard]] std::string text() const;

    [[nodiscard]] std::span<const std::uint8_t> key() const noexcept { return key_; }

   private:
    explicit webhook_secret(std::vector<std::uint8_t> key) : key_(std::move(key)) {}

    std::vector<std::uint8_t> key_;
};

/// True if `webhook_secret::parse` takes it.
[[nodiscard]] bool is_webhook_secret(std::string_view text);

// Names of the three header fields, in the spelling that `http_headers` keeps.
inline constexpr std::string_view webhook_id_header = "webhook-id";
inline constexpr std::string_view webhook_timestamp_header = "webhook-timestamp";
inline constexpr std::string_view webhook_signature_header = "webhook-signature";

/// Values of the three fields; empty where one is absent.
struct webhook_headers {
    std::string id{};         ///< the same at every attempt: what a receiver dedupes by
    std::string timestamp{};  ///< seconds since 1970-01-01 UTC, of this attempt
    std::string signature{};  ///< `v1,` and a base64 text, several with a space between them

    friend bool operator==(const webhook_headers&, const webhook_headers&) = default;
};

/// Signs with each secret: while one is replaced, a receiver may know either of them.
/// *Requires*: at least one secret; `id` is made of visible ASCII without `.`, as all our ids are.
[[nodiscard]] webhook_headers sign_webhook(
    std::string id, wall_time at, std::string_view body, std::span<const webhook_secret> secrets
);

/// Why a webhook is not believed. The words (`word_of`) are frozen: senders read them.
enum class webhook_refusal : std::uint8_t {
    missing_header = 1,   ///< one of the three fields is absent
    malformed = 2,        ///< a field that no sender of Standard Webhooks writes
    too_old = 3,          ///< signed more than `webhook_window` ago: perhaps a replay
    too_new = 4,          ///< signed later than now: one of the clocks is wrong
    wrong_signature = 5,  ///< none of the secrets made any of the signatures
};

/// `missing_header`; empty for a number that is none of them.
[[nodiscard]] std::string_view word_of(webhook_refusal refusal) noexcept;

/// How far the time of signing may be from the time of verifying, to either side. Within it a receiver dedupes
/// by `webhook-id`.
inline constexpr seconds webhook_window{300};

/// Why these bytes are not from a holder of one of the secrets, signed about now; nothing if they are.
/// Signatures are compared in constant time.
[[nodiscard]] std::optional<webhook_refusal> refusal_of_webhook(
    const webhook_headers& headers,
    std::string_view body,
    std::span<const webhook_secret> secrets,
    wall_time now
);

}  // namespace convene
