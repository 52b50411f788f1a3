// SPDX-License-Identifier: Apache-2.0
// The server that commands ask: where it is, who asks, whom to trust, and how patiently.
#pragma once

#include "convene/time.hpp"

#include <string>

namespace convene {

struct server_address {
    std::string url;      ///< without a slash at its end
    std::string token;    ///< empty: nobody is asking
    std::string ca_file;  ///< PEM; empty: the authorities of this machine
    milliseconds retry_for{0};
};

}  // namespace convene
