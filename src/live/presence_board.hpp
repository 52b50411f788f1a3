// SPDX-License-Identifier: Apache-2.0
// Presence (V3): who is there, told from the connections that show a room.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "live/realtime.hpp"

namespace convene {

/// Counts the connections of each person in each room of this process, and tells the room when the first one
/// comes and when the last one goes. A connection ends with its process, so that there is nothing to time out.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its stays.
class presence_board {
   public:
    presence_board(realtime_backend& realtime, const wall_clock& clock);

    presence_board(const presence_board&) = delete;
    presence_board& operator=(const presence_board&) = delete;

    /// One connection of a person in a room, for as long as this lives.
    class stay {
       public:
        stay(presence_board* board, organization_id organization, room_id room, participant_id who);
        ~stay();

        stay(const stay&) = delete;
        stay& operator=(const stay&) = delete;

       private:
        presence_board& board_;
        const organization_id organization_;
        const room_id room_;
        const participant_id who_;
    };

    [[nodiscard]] std::unique_ptr<stay> enter(
        organization_id organization, room_id room, participant_id who
    );

    /// Everybody who is there, in the order of ids.
    [[nodiscard]] std::vector<participant_id> present(
        const organization_id& organization, const room_id& room
    ) const;

    [[nodiscard]] realtime_event notice(
        organization_id organization, room_id room, participant_id who, std::string_view status
    ) const;

   private:
    using place = std::pair<organization_id, room_id>;

    // fixed after construction
    realtime_backend& realtime_;
    const wall_clock& clock_;

    // touched on the loop only
    std::map<place, std::map<participant_id, std::size_t>> connections_;
};

}  // namespace convene
