// SPDX-License-Identifier: Apache-2.0
// A room's tail as somebody sees it over HTTP.
#pragma once

#include "convene/executor.hpp"

#include <memory>

#include "http/principal.hpp"
#include "live/room_tails.hpp"

namespace convene {

/// Looks at the room by the rules of `room_access.hpp`, and asks the authenticator again whenever access is
/// looked at: a token that was revoked, a session that ended or a person who left sees no more.
///
/// *Lifetime*: store and authenticator outlive it.
[[nodiscard]] std::unique_ptr<tail_view> make_principal_view(
    conversation_store* store, authenticator* who, principal reader
);

}  // namespace convene
