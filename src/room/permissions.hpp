// SPDX-License-Identifier: Apache-2.0
// R10: who may write into a room, and who sees what is in it.
#pragma once

#include "convene/event.hpp"
#include "convene/room.hpp"

#include <vector>

namespace convene {

/// Blocks an event that its source may not write. One that is blocked already keeps its reason.
///
/// | the source                             | the event                   |
/// | -------------------------------------- | --------------------------- |
/// | no channel: the system itself          | passes                      |
/// | a channel that is not bound (any more) | blocked, `source_not_bound` |
/// | a muted binding                        | blocked, `source_muted`     |
/// | access `read_only` or `none`           | blocked, `source_read_only` |
/// | access `read_write` or `write_only`    | passes                      |
void apply_write_permission(const room_context& context, room_event* event);

/// The event's own visibility; where that is `all`, what its source's binding says. So widening a
/// binding widens the past that entered there.
[[nodiscard]] const visibility& effective_visibility(
    const room_context& context, const room_event& event
) noexcept;

/// Whether a reader may see an event: the one rule of delivery and history.
///
/// | the event                       | is seen by                                              |
/// | ------------------------------- | ------------------------------------------------------- |
/// | blocked                         | nobody                                                  |
/// | the reader's own                | the reader, whatever its access                         |
/// | any other                       | who has read access and is in its effective visibility: |
/// | ... `all`                       | everybody                                               |
/// | ... `transport`, `intelligence` | channels of that kind                                   |
/// | ... a list of channels          | these                                                   |
/// | ... `none`, `internal`          | nobody                                                  |
[[nodiscard]] bool is_visible_to(
    const room_context& context, const room_event& event, const binding& reader
) noexcept;

/// What of a piece of the timeline (ascending, without holes) a reader may see. A soft-deleted
/// event becomes a tombstone, and so does every edit of it: a deleted text does not come back
/// through its edits.
[[nodiscard]] std::vector<room_event> visible_history(
    const room_context& context, const binding& reader, std::vector<room_event> events
);

}  // namespace convene
