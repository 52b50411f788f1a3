// SPDX-License-Identifier: Apache-2.0
// A store that keeps everything in this process: for tests, and for conversations that need not
// outlive it.
#pragma once

#include "convene/time.hpp"

#include <memory>

namespace convene {

class conversation_store;

/// An empty store. It executes in place, so no operation on it waits.
///
/// *Lifetime*: `clock` outlives the store.
[[nodiscard]] std::unique_ptr<conversation_store> make_memory_store(const wall_clock& clock);

}  // namespace convene
