// SPDX-License-Identifier: Apache-2.0
// What counts as one place on the network when attempts are counted.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// An IPv4 address itself, also when it is written as IPv6; of an IPv6 address the first 64 bits, since one
/// subscriber has all the rest. Text that is no address is its own key.
[[nodiscard]] std::string address_key(std::string_view peer);

}  // namespace convene
