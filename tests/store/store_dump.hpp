// SPDX-License-Identifier: Apache-2.0
// Everything in a store that operations show, as one text: two stores that agree give the same.
#pragma once

#include <string>

#include "store/store_harness.hpp"

namespace convene {

/// *Requires*: fewer than 1000 rooms, and than 10,000 events in each.
[[nodiscard]] std::string dump_of(store_harness& harness);

}  // namespace convene
