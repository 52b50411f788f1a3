// SPDX-License-Identifier: Apache-2.0
// Asking a server how it is.
#pragma once

#include "app/doctor/server_examination.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

/// Asks everything once. *Lifetime*: `asked` outlives it.
[[nodiscard]] awaitable<server_facts> ask_how_it_is(server_conversations* asked);

}  // namespace convene
