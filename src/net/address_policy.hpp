// SPDX-License-Identifier: Apache-2.0
// Which addresses a request to a URL of a user's may connect to: the public ones, and what was allowed by name.
#pragma once

#include "convene/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// An IPv4 or IPv6 address. IPv4 is kept in its IPv6 form (`::ffff:a.b.c.d`), so that both compare.
class net_address {
   public:
    using bytes = std::array<std::uint8_t, 16>;

    /// In the numeric spellings of `inet_pton` only: no octal, no missing parts, no scope.
    [[nodiscard]] static std::optional<net_address> parse(std::string_view text);

    [[nodiscard]] static net_address v4(std::uint32_t host_order) noexcept;

    [[nodiscard]] static constexpr net_address v6(const bytes& value) noexcept {
        return net_address{value};
    }

    [[nodiscard]] constexpr const bytes& value() const noexcept { return value_; }

    /// The IPv4 address that this one is or leads to: mapped, compatible, NAT64, 6to4 or Teredo.
    [[nodiscard]] std::optional<std::uint32_t> embedded_v4() const noexcept;

    friend bool operator==(const net_address&, const net_address&) = default;

   private:
    constexpr explicit net_address(const bytes& value) noexcept : value_(value) {}

    bytes value_;
};

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or one address.
class net_range {
   public:
    /// *Errors*: `invalid_argument`; also when bits behind the prefix are set.
    [[nodiscard]] static result<net_range> parse(std::string_view text);

    [[nodiscard]] bool contains(const net_address& address) const noexcept;

   private:
    net_range(const net_address& first, std::size_t prefix) : first_(first), prefix_(prefix) {}

    net_address first_;
    std::size_t prefix_;  ///< of the IPv6 form
};

/// Whether an address is one of the public internet: neither loopback, private, shared, link-local (where
/// clouds keep their metadata), multicast, documentation, reserved, nor a translated form of one of these.
[[nodiscard]] bool is_public_address(const net_address& address) noexcept;

/// What may be connected to. The default allows public addresses only.
class address_policy {
   public:
    /// Allows a range, whatever is in it. *Errors*: `invalid_argument`.
    result<> allow_range(std::string_view range);

    /// Allows a host by the name that the URL spells, wherever it leads.
    void allow_host(std::string_view host);

    [[nodiscard]] bool allows(std::string_view host, const net_address& address) const noexcept;

   private:
    std::vector<net_range> ranges_;
    std::vector<std::string> hosts_;  ///< in lower case
};

}  // namespace convene
