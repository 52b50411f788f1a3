// SPDX-License-Identifier: Apache-2.0
// UUIDs: the layouts of RFC 9562, versions 5 and 7.
#include "base/uuid.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>
#include <span>

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace convene {

namespace {

using uuid_bytes = std::array<std::uint8_t, 16>;

constexpr std::uint64_t counter_limit = 1U << 12U;
// A fresh millisecond starts in the lower half, which leaves room for at least 2,048 more ids.
constexpr std::uint64_t counter_start_limit = counter_limit / 2;

std::string to_text(const uuid_bytes& bytes) {
    std::string text = to_hex(bytes);
    for (const std::size_t at : {8U, 13U, 18U, 23U}) {
        text.insert(at, 1, '-');
    }
    return text;
}

void stamp(uuid_bytes& bytes, unsigned version) {
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | (version << 4U));
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
}

/// Before 1970 there is no UUIDv7: such a clock is wrong, and its ids start at zero.
std::uint64_t unix_milliseconds(wall_time t) {
    const auto since_epoch = std::chrono::floor<milliseconds>(t.time_since_epoch());
    return static_cast<std::uint64_t>(std::max<std::int64_t>(since_epoch.count(), 0));
}

/// 48 bits of time, 12 of `rand_a`, and 62 random ones.
std::string compose_uuid7(std::uint64_t millisecond, std::uint64_t rand_a, random_source& random) {
    uuid_bytes bytes{};
    for (std::size_t i = 0; i < 6; ++i) {
        bytes[i] = static_cast<std::uint8_t>(millisecond >> (40U - 8U * i));
    }
    bytes[6] = static_cast<std::uint8_t>(rand_a >> 8U);
    bytes[7] = static_cast<std::uint8_t>(rand_a);
    random.fill(std::span{bytes}.subspan(8));
    stamp(bytes, 7);
    return to_text(bytes);
}

std::uint8_t hex_value(char digit) {
    constexpr std::string_view digits = "0123456789abcdefABCDEF";
    const std::size_t at = digits.find(digit);
    CONVENE_ASSERT(
        at != std::string_view::npos, "a UUID namespace has a character that is not hex"
    );
    return static_cast<std::uint8_t>(at < 16 ? at : at - 6);
}

uuid_bytes parse_namespace(std::string_view text) {
    std::string digits{text};
    std::erase(digits, '-');
    CONVENE_ASSERT(text.size() == 36 && digits.size() == 32, "a UUID namespace is not a UUID");
    uuid_bytes bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned high = hex_value(digits[2 * i]);
        bytes[i] = static_cast<std::uint8_t>((high << 4U) | hex_value(digits[2 * i + 1]));
    }
    return bytes;
}

}  // namespace

std::string make_uuid7(wall_time t, random_source& random) {
    std::array<std::uint8_t, 2> bytes{};
    random.fill(bytes);
    const std::uint64_t rand_a = ((std::uint64_t{bytes[0]} << 8U) | bytes[1]) % counter_limit;
    return compose_uuid7(unix_milliseconds(t), rand_a, random);
}

std::string id_generator::next_uuid7() {
    const std::uint64_t now = unix_milliseconds(clock_.now());
    const bool counter_is_full = counter_ + 1 == counter_limit;
    if (now > millisecond_ || counter_is_full) {
        // A full counter borrows the next millisecond; the clock catches up with it.
        millisecond_ = std::max(now, millisecond_ + 1);
        counter_ = random_.below(counter_start_limit);
    } else {
        ++counter_;
    }
    return compose_uuid7(millisecond_, counter_, random_);
}

std::string uuid5(std::string_view namespace_uuid, std::string_view name) {
    const uuid_bytes prefix = parse_namespace(namespace_uuid);
    std::string input{prefix.begin(), prefix.end()};
    input += name;

    std::array<std::uint8_t, 20> digest{};
    unsigned int size = 0;
    const int done = EVP_Digest(
        input.data(), input.size(), digest.data(), &size, EVP_sha1(), nullptr
    );
    CONVENE_ASSERT(done == 1 && size == digest.size(), "libcrypto could not compute SHA-1");

    uuid_bytes bytes{};
    std::copy_n(digest.begin(), bytes.size(), bytes.begin());
    stamp(bytes, 5);
    return to_text(bytes);
}

delivery_id make_delivery_id(const event_id& event, std::string_view target) {
    // Neither part can hold a line feed (`check_id` refuses control characters), so no two pairs
    // make the same name.
    std::string name = event.str();
    name += '\n';
    name += target;
    return delivery_id{uuid5(delivery_namespace, name)};
}

}  // namespace convene
