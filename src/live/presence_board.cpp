// SPDX-License-Identifier: Apache-2.0
// Presence: counting, and telling.
#include "live/presence_board.hpp"

#include "base/json_writer.hpp"

namespace convene {

presence_board::presence_board(realtime_backend& realtime, const wall_clock& clock)
    : realtime_(realtime), clock_(clock) {}

presence_board::stay::stay(
    presence_board* board, organization_id organization, room_id room, participant_id who
)
    : board_(*board),
      organization_(std::move(organization)),
      room_(std::move(room)),
      who_(std::move(who)) {
    if (++board_.connections_[{organization_, room_}][who_] == 1) {
        board_.realtime_.publish(board_.notice(organization_, room_, who_, "online"));
    }
}

presence_board::stay::~stay() {
    const auto place = board_.connections_.find({organization_, room_});
    const auto person = place->second.find(who_);
    if (--person->second != 0) {
        return;
    }
    place->second.erase(person);
    if (place->second.empty()) {
        board_.connections_.erase(place);
    }
    board_.realtime_.publish(board_.notice(organization_, room_, who_, "offline"));
}

std::unique_ptr<presence_board::stay> presence_board::enter(
    organization_id organization, room_id room, participant_id who
) {
    return std::make_unique<stay>(this, std::move(organization), std::move(room), std::move(who));
}

std::vector<participant_id> presence_board::present(
    const organization_id& organization, const room_id& room
) const {
    std::vector<participant_id> there;
    if (const auto place = connections_.find({organization, room}); place != connections_.end()) {
        there.reserve(place->second.size());
        for (const auto& [who, connections] : place->second) {
            there.push_back(who);
        }
    }
    return there;
}

realtime_event presence_board::notice(
    organization_id organization, room_id room, participant_id who, std::string_view status
) const {
    json_writer data;
    data.begin_object();
    data.key("status").string(status);
    data.end_object();
    realtime_event event;
    event.organization = std::move(organization);
    event.room = std::move(room);
    event.type = realtime_type::presence;
    event.participant = std::move(who);
    event.data = data.take();
    event.at = clock_.now();
    return event;
}

}  // namespace convene
