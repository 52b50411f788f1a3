// SPDX-License-Identifier: Apache-2.0
// Hashes whose values are stored or shared between processes: SHA-256 and a 64-bit number from it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace convene {

using sha256_digest = std::array<std::uint8_t, 32>;

[[nodiscard]] sha256_digest sha256(std::string_view bytes);

/// SHA-256 of bytes that come in pieces, so that a long text need not be hashed in one go.
class sha256_stream {
   public:
    sha256_stream();
    ~sha256_stream();
    sha256_stream(const sha256_stream&) = delete;
    sha256_stream& operator=(const sha256_stream&) = delete;

    void add(std::string_view bytes);

    /// Of all that was added. *Requires*: asked once, and nothing is added afterwards.
    [[nodiscard]] sha256_digest finish();

   private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Lower-case hexadecimal, two characters a byte.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);

/// The first 8 bytes of SHA-256, big endian, as a signed number: the key of an advisory lock.
/// Frozen, because workers of different versions must agree on it (`docs/formats/lock-names.md`).
[[nodiscard]] std::int64_t stable_hash64(std::string_view bytes);

}  // namespace convene
