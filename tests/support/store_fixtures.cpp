// SPDX-License-Identifier: Apache-2.0
// Builds rooms, events, rows and batches for tests.
#include "support/store_fixtures.hpp"

#include <utility>

namespace convene {

organization_id acme() { return organization_id{"acme"}; }

incarnation_id worker_one() { return incarnation_id{"worker-1"}; }

incarnation_id worker_two() { return incarnation_id{"worker-2"}; }

room make_room(std::string id, organization_id organization) {
    room made;
    made.id = room_id{std::move(id)};
    made.organization = std::move(organization);
    return made;
}

binding make_binding(std::string room, std::string channel) {
    binding made;
    made.room = room_id{std::move(room)};
    made.channel = channel_id{std::move(channel)};
    made.channel_type = "websocket";
    return made;
}

participant make_participant(std::string room, std::string id) {
    participant made;
    made.room = room_id{std::move(room)};
    made.display_name = id;
    made.id = participant_id{std::move(id)};
    return made;
}

room_event make_message(std::string id, std::string_view body, std::string author) {
    room_event made;
    made.id = event_id{std::move(id)};
    made.content = content::text(body);
    made.source.channel = channel_id{"web"};
    made.source.channel_type = "websocket";
    made.source.participant = participant_id{std::move(author)};
    made.committed_by = worker_one();
    return made;
}

room_event make_reply(std::string id, std::string root) {
    room_event made = make_message(std::move(id));
    made.parent = event_id{std::move(root)};
    return made;
}

room_event make_blocked(std::string id) {
    room_event made = make_message(std::move(id));
    made.status = event_status::blocked;
    made.blocked_by = "moderation";
    made.block_reason = "not_allowed";
    return made;
}

delivery_row make_row(const room_event& event, std::string channel, incarnation_id worker) {
    delivery_row made;
    made.id = delivery_id{event.room.str() + "/" + event.id.str() + "/" + channel};
    made.event = event.id;
    made.room = event.room;
    made.index = event.index;
    made.channel = channel_id{std::move(channel)};
    made.address = "address";
    made.committed_by = std::move(worker);
    return made;
}

outbound_item make_outbound(const delivery_row& row) {
    outbound_item made;
    made.room = row.room;
    made.channel = row.channel;
    made.address = row.address;
    made.event = row.event;
    made.index = row.index;
    made.delivery = row.id;
    return made;
}

ops::list_events list_of(std::string room) {
    ops::list_events request;
    request.organization = acme();
    request.room = room_id{std::move(room)};
    return request;
}

ops::update_room update_of(std::string room) {
    ops::update_room request;
    request.organization = acme();
    request.id = room_id{std::move(room)};
    return request;
}

batch_on::batch_on(const room& read) : next_(read.next_index) {
    commit_.organization = read.organization;
    commit_.room = read.id;
    commit_.expected_next = read.next_index;
    commit_.expected_config = read.config;
    commit_.expected_status = read.status;
    commit_.new_status = read.status;
}

batch_on& batch_on::add(room_event event) {
    event.room = commit_.room;
    event.index = next_;
    next_ = next_.next();
    commit_.events.push_back(std::move(event));
    return *this;
}

batch_on& batch_on::deliver_to(std::string channel, incarnation_id worker) {
    const room_event& last = commit_.events.back();
    commit_.deliveries.push_back(make_row(last, std::move(channel), std::move(worker)));
    return *this;
}

}  // namespace convene
