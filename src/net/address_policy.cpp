// SPDX-License-Identifier: Apache-2.0
// The special-purpose address registries, as ranges that are refused.
#include "net/address_policy.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <span>

namespace convene {

namespace {

struct v4_range {
    std::uint32_t first;
    unsigned prefix;
};

constexpr std::uint32_t v4_of(
    std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d
) noexcept {
    return (a << 24U) | (b << 16U) | (c << 8U) | d;
}

constexpr v4_range closed_v4[] = {
    {v4_of(0, 0, 0, 0), 8},         // this network, and unspecified
    {v4_of(10, 0, 0, 0), 8},        // private
    {v4_of(100, 64, 0, 0), 10},     // shared by carriers; metadata of some clouds
    {v4_of(127, 0, 0, 0), 8},       // loopback
    {v4_of(168, 63, 129, 16), 32},  // the platform address of a cloud
    {v4_of(169, 254, 0, 0), 16},    // link-local; metadata of most clouds
    {v4_of(172, 16, 0, 0), 12},     // private
    {v4_of(192, 0, 0, 0), 24},      // protocol assignments
    {v4_of(192, 0, 2, 0), 24},      // documentation
    {v4_of(192, 88, 99, 0), 24},    // 6to4 relays
    {v4_of(192, 168, 0, 0), 16},    // private
    {v4_of(198, 18, 0, 0), 15},     // benchmarks
    {v4_of(198, 51, 100, 0), 24},   // documentation
    {v4_of(203, 0, 113, 0), 24},    // documentation
    {v4_of(224, 0, 0, 0), 3},       // multicast, reserved, broadcast
};

bool is_public_v4(std::uint32_t address) noexcept {
    return std::ranges::none_of(closed_v4, [address](const v4_range& range) {
        const unsigned shift = 32U - range.prefix;
        return shift == 0 ? address == range.first : (address >> shift) == (range.first >> shift);
    });
}

bool share_prefix(
    const net_address::bytes& a, const net_address::bytes& b, std::size_t bits
) noexcept {
    const std::size_t whole = bits / 8;
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) {
        return false;
    }
    const unsigned rest = bits % 8;
    return rest == 0 || ((a[whole] ^ b[whole]) >> (8U - rest)) == 0;
}

struct v6_range {
    net_address::bytes first;
    std::size_t prefix;
};

constexpr v6_range mapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96};
constexpr v6_range compatible{{}, 96};
constexpr v6_range translated{{0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}, 96};
constexpr v6_range nat64{{0, 0x64, 0xFF, 0x9B}, 96};
constexpr v6_range six_to_four{{0x20, 0x02}, 16};
constexpr v6_range teredo{{0x20, 0x01, 0, 0}, 32};
constexpr v6_range global_unicast{{0x20}, 3};

/// Within global unicast. Everything outside it (loopback, unspecified, unique local, link-local, site-local,
/// multicast, local NAT64, discard) is closed as a whole.
constexpr v6_range closed_v6[] = {
    {{0x20, 0x01}, 23},              // protocol assignments
    {{0x20, 0x01, 0x0D, 0xB8}, 32},  // documentation
    {{0x3F, 0xFF}, 20},              // documentation
};

bool is_within(const net_address& address, const v6_range& range) noexcept {
    return share_prefix(address.value(), range.first, range.prefix);
}

std::uint32_t four_bytes(const net_address::bytes& value, std::size_t from) noexcept {
    return v4_of(value[from], value[from + 1], value[from + 2], value[from + 3]);
}

std::string lower_case(std::string_view text) {
    std::string lowered{text};
    for (char& c : lowered) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    // The root's dot is not part of a name's identity.
    if (lowered.ends_with('.')) {
        lowered.pop_back();
    }
    return lowered;
}

}  // namespace

std::optional<net_address> net_address::parse(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::string terminated{text};
    in_addr four{};
    if (::inet_pton(AF_INET, terminated.c_str(), &four) == 1) {
        return v4(ntohl(four.s_addr));
    }
    in6_addr six{};
    if (::inet_pton(AF_INET6, terminated.c_str(), &six) == 1) {
        bytes value;
        std::copy_n(six.s6_addr, value.size(), value.begin());
        return v6(value);
    }
    return std::nullopt;
}

net_address net_address::v4(std::uint32_t host_order) noexcept {
    bytes value = mapped.first;
    for (std::size_t i = 0; i < 4; ++i) {
        value[12 + i] = static_cast<std::uint8_t>(host_order >> (24U - 8U * i));
    }
    return net_address{value};
}

std::optional<std::uint32_t> net_address::embedded_v4() const noexcept {
    if (is_within(*this, mapped) || is_within(*this, compatible) || is_within(*this, translated) ||
        is_within(*this, nat64)) {
        return four_bytes(value_, 12);
    }
    if (is_within(*this, six_to_four)) {
        return four_bytes(value_, 2);
    }
    if (is_within(*this, teredo)) {
        return ~four_bytes(value_, 12);
    }
    return std::nullopt;
}

bool is_public_address(const net_address& address) noexcept {
    if (const std::optional<std::uint32_t> four = address.embedded_v4()) {
        // Old tunnels end somewhere that the address alone does not tell.
        return !is_within(address, teredo) && is_public_v4(*four);
    }
    const auto holds = [&](const v6_range& range) { return is_within(address, range); };
    return is_within(address, global_unicast) && std::ranges::none_of(closed_v6, holds);
}

result<net_range> net_range::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view first = text.substr(0, slash);
    const std::optional<net_address> address = net_address::parse(first);
    if (!address) {
        return errc::invalid_argument;
    }
    const bool is_v6 = first.find(':') != std::string_view::npos;
    std::size_t prefix = is_v6 ? 128 : 32;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        std::size_t given = 0;
        const auto [end, failure] = std::from_chars(
            digits.data(), digits.data() + digits.size(), given
        );
        if (failure != std::errc{} || end != digits.data() + digits.size() || given > prefix) {
            return errc::invalid_argument;
        }
        prefix = given;
    }
    prefix += is_v6 ? 0 : mapped.prefix;
    const net_range parsed{*address, prefix};
    for (std::size_t bit = prefix; bit < 128; ++bit) {
        if (((address->value()[bit / 8] >> (7U - bit % 8)) & 1U) != 0) {
            return errc::invalid_argument;
        }
    }
    return parsed;
}

bool net_range::contains(const net_address& address) const noexcept {
    return share_prefix(address.value(), first_.value(), prefix_);
}

result<> address_policy::allow_range(std::string_view range) {
    const result<net_range> parsed = net_range::parse(range);
    if (!parsed) {
        return parsed.error();
    }
    ranges_.push_back(*parsed);
    return {};
}

void address_policy::allow_host(std::string_view host) { hosts_.push_back(lower_case(host)); }

bool address_policy::allows(std::string_view host, const net_address& address) const noexcept {
    if (is_public_address(address)) {
        return true;
    }
    const auto holds = [&](const net_range& range) { return range.contains(address); };
    return std::ranges::any_of(ranges_, holds) ||
           std::ranges::find(hosts_, lower_case(host)) != hosts_.end();
}

}  // namespace convene
