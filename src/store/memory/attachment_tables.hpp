// SPDX-License-Identifier: Apache-2.0
// Attachments in memory: their rows and chunks, which events name them, and how many bytes that makes.
#pragma once

#include "convene/content.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/operations/attachments.hpp"

namespace convene {

/// *Thread safety*: as `tables`.
class attachment_tables {
   public:
    struct row {
        attachment info;
        incarnation_id uploader;
        std::optional<wall_time> expires_at;  ///< unset while a message names it
        std::map<std::int64_t, std::string> chunks;
        std::set<event_id> named_by;
    };

    /// Null if there is none.
    [[nodiscard]] row* find(const attachment_id& id);

    /// Of one room, or of an organisation where the room is empty.
    [[nodiscard]] std::int64_t bytes_of(const organization_id& organization, const room_id& room)
        const;

    /// In place of whatever had the id. *Requires*: that was not counted any more, or is given up.
    row& put(attachment info, incarnation_id uploader, wall_time expires_at);

    /// The event names these. What is not stored in its room is passed over.
    void name(const room_id& room, const event_id& event, const content& said);

    /// The event is gone: what only it named goes, too.
    void forget_event(const event_id& event, wall_time now);

    void remove(row& removed, wall_time now);
    void remove_room(const room_id& room, wall_time now);

    /// Ids of those of a room, in their order, that are stored and not younger than `oldest`.
    [[nodiscard]] std::vector<attachment_id> stored_before(
        const room_id& room, wall_time oldest, std::size_t limit
    ) const;

    [[nodiscard]] const std::map<attachment_id, row>& all() const noexcept { return rows_; }

    void drop(const attachment_id& id);

   private:
    using usage_key = std::pair<organization_id, room_id>;

    void count(const attachment& info, std::int64_t bytes);

    std::map<attachment_id, row> rows_;
    std::map<event_id, std::set<attachment_id>> names_;  ///< no empty sets
    std::map<usage_key, std::int64_t> usage_;            ///< no zeros
};

}  // namespace convene
