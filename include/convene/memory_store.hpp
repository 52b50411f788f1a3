// SPDX-License-Identifier: Apache-2.0
// A store that keeps everything in this process: for tests, and for conversations that need not
// outlive it.
#pragma once

#include "convene/conversation_store.hpp"
#include "convene/time.hpp"

#include <memory>

namespace convene {

/// An empty store. It executes in place, so no operation on it waits.
///
/// *Lifetime*: `clock` outlives the store.
[[nodiscard]] std::unique_ptr<conversation_store> make_memory_store(const wall_clock& clock);

}  // namespace convene
