// SPDX-License-Identifier: Apache-2.0
// The addresses of a host, for callers that connect by other means than our own client.
#pragma once

#include <string>
#include <vector>

#include "net/address_policy.hpp"

namespace convene {

struct looked_up_address {
    net_address address;
    std::string text;  ///< in its numeric form
};

/// The addresses that a name leads to, or the numeric address itself; none for a name that is not known. Blocks for as
/// long as the resolver takes.
[[nodiscard]] std::vector<looked_up_address> look_up_host(const std::string& host);

}  // namespace convene
