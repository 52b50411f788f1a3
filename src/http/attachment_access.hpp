// SPDX-License-Identifier: Apache-2.0
// Who may read an attachment (X1, R10), and which attachments a message may name.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/content.hpp"
#include "convene/room.hpp"

#include <string>

#include "http/principal.hpp"
#include "http/problem.hpp"
#include "store/operations/attachments.hpp"
#include "store/store.hpp"

namespace convene {

/// Who uploads: `user:ID` or `token:ID`.
[[nodiscard]] std::string uploader_of(const principal& who);

/// Operators, admins and tokens: every attachment of the organisation. A member of its room: what it uploaded itself,
/// and what an event names that it may see, as that event says now.
[[nodiscard]] awaitable<result<bool>> may_read_attachment(
    conversation_store* store, principal who, room_context around, ops::get_attachment::found asked
);

/// Each attachment that a message names must be stored in its room, and its sender must be allowed to read it.
/// *Errors*: 422 that names the content; those of the store.
[[nodiscard]] awaitable<or_problem<>> check_attachments(
    conversation_store* store, principal who, room_context around, content said
);

}  // namespace convene
