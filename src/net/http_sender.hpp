// SPDX-License-Identifier: Apache-2.0
// How requests leave: the program's HTTP client, or a test's script.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/time.hpp"

#include <functional>

#include "net/http_client.hpp"

namespace convene {

/// As `http_client::send`. *Lifetime*: outlives who has it.
using http_sender = std::function<awaitable<result<http_reply>>(http_call call, deadline until)>;

}  // namespace convene
