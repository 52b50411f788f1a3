// SPDX-License-Identifier: Apache-2.0
// Cuts network addresses to what one subscriber has.
#include "access/address_key.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <netinet/in.h>
#include <span>

#include "base/hash.hpp"

namespace convene {

namespace {

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

}  // namespace

std::string address_key(std::string_view peer) {
    // A zone (`fe80::1%eth0`) is not part of the address.
    const std::string text{peer.substr(0, peer.find('%'))};
    std::array<std::uint8_t, 4> v4{};
    if (::inet_pton(AF_INET, text.c_str(), v4.data()) == 1) {
        return "4:" + to_hex(v4);
    }
    std::array<std::uint8_t, 16> v6{};
    if (::inet_pton(AF_INET6, text.c_str(), v6.data()) != 1) {
        return std::string{peer};
    }
    const std::span<const std::uint8_t> bytes{v6};
    if (std::ranges::equal(bytes.first(12), mapped_prefix)) {
        return "4:" + to_hex(bytes.last(4));
    }
    return "6:" + to_hex(bytes.first(8));
}

}  // namespace convene
