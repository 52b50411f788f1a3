// SPDX-License-Identifier: Apache-2.0
// Repeated requests whose answer holds a secret that is shown once (R8).
#pragma once

#include <functional>
#include <string>

#include "http/route.hpp"
#include "store/store.hpp"

namespace convene {

/// What was made, by its id, and the answer that shows its secret.
struct made_with_secret {
    std::string id;
    http_response answer;
};

using make_with_secret = std::function<awaitable<or_problem<made_with_secret>>(route_call call)>;

/// A handler that makes something once for each `Idempotency-Key`; without a key, every time. Of what was made only the
/// id is remembered, never the secret: a repetition is told 409 `SECRET_SHOWN_ONCE` with the id and `remedy`, which says
/// how to get another secret. A request that was refused is not remembered.
/// *Cancellation*: with a key, none once it has begun: what it makes and that it did stay together.
[[nodiscard]] route_handler once_for_each_key(
    conversation_store* store, std::string remedy, make_with_secret make
);

}  // namespace convene
