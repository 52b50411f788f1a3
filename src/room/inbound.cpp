// SPDX-License-Identifier: Apache-2.0
// Inbound: from a message on a channel to a proposal for a room.
#include "room/inbound.hpp"

#include <algorithm>

#include "base/text_boundary.hpp"
#include "room/detached.hpp"
#include "room/request_hash.hpp"

namespace convene {

namespace {

/// A route may lead to a room that closes before the commit; the message then gets a new room, once.
constexpr int routing_tries = 2;

participant as_participant(const inbound_message& message, const room_id& room, participant_id id) {
    participant joined;
    joined.room = room;
    joined.id = std::move(id);
    joined.external_id = message.sender;
    joined.display_name = message.sender;
    return joined;
}

binding as_binding(const channel& entered, const room_id& room) {
    binding attached;
    attached.room = room;
    attached.channel = entered.id();
    attached.channel_type = entered.type();
    attached.kind = entered.kind();
    return attached;
}

}  // namespace

awaitable<result<send_receipt>> inbound::process(inbound_message message, wait_for what) {
    const deadline until{core_.where.now() + core_.settings.process_timeout};
    const bool is_named = !message.room.empty();
    for (int tried = 1;; ++tried) {
        auto prepared = co_await with_deadline(until, prepare(message));
        if (!prepared && prepared.error() == errc::timed_out) {
            co_return errc::process_timeout;
        }
        if (!prepared) {
            co_return prepared.error();
        }

        const std::string hash = prepared->event.request_hash;
        auto known = co_await with_deadline(until, find_known(message, hash));
        if (!known && known.error() == errc::timed_out) {
            co_return errc::process_timeout;
        }
        if (!known) {
            co_return known.error();
        }
        if (*known) {
            co_return co_await out_.replay(std::move(**known), what);
        }

        auto sent = co_await out_.send(message.organization, std::move(*prepared), until, what);
        const bool may_route_again = !is_named && tried < routing_tries;
        if (sent || sent.error() != errc::room_closed || !may_route_again) {
            co_return sent;
        }
    }
}

/// A key that was seen on this channel, in whichever room it went to.
awaitable<result<std::optional<room_event>>> inbound::find_known(
    inbound_message message, std::string hash
) {
    if (message.idempotency_key.empty()) {
        co_return std::optional<room_event>{};
    }
    ops::find_inbound_key request{message.organization, message.channel, message.idempotency_key};
    auto hit = co_await core_.store.run(std::move(request));
    if (!hit) {
        co_return hit.error();
    }
    if (!*hit) {
        co_return std::optional<room_event>{};
    }
    if ((*hit)->request_hash != hash) {
        co_return errc::idempotency_key_reused;
    }
    if (!(*hit)->event) {
        co_return errc::event_deleted;
    }
    co_return std::move((*hit)->event);
}

awaitable<result<proposal>> inbound::prepare(inbound_message message) {
    const auto known = co_await core_.channels.look_up(message.channel);
    if (!known) {
        co_return known.error();
    }
    const std::shared_ptr<channel>& entered = *known;
    if (entered == nullptr || !may_use(*entered, message.organization)) {
        co_return errc::channel_not_registered;
    }

    proposal proposed;
    proposed.from = origin::inbound;
    room_event& event = proposed.event;
    event.type = message.type;
    event.content = message.content;
    event.source.channel = message.channel;
    event.source.channel_type = entered->type();
    event.source.external_id = message.sender;
    event.source.provider_message_id = message.provider_message_id;
    event.parent = message.parent;
    event.metadata = message.metadata;
    event.addressed_to = message.addressed_to;
    event.visibility = message.visible_to.value_or(visibility{});
    event.idempotency_key = message.idempotency_key;
    event.id = core_.ids.next<event_id>();
    event.plan.cascade = cascade_id{event.id.str()};
    event.plan.budget = core_.settings.cascade_budget;
    event.request_hash = request_hash(event);
    if (message.cause) {
        place_behind(*message.cause, &core_.causes, &proposed);
    }

    auto room = co_await route(message);
    if (!room) {
        co_return room.error();
    }
    auto author = co_await join_room(message, *room);
    if (!author) {
        co_return author.error();
    }
    event.room = *room;
    event.source.participant = *author;
    if (!message.idempotency_key.empty()) {
        proposed.inbound_key = ops::commit::inbound_key{
            message.channel, message.idempotency_key, event.id, event.request_hash
        };
    }
    co_return proposed;
}

/// Never guesses: the named room, the sender's route, the channel's only open room, else a new room.
awaitable<result<room_id>> inbound::route(inbound_message message) {
    if (!message.room.empty()) {
        co_return message.room;
    }

    ops::find_route known{message.organization, message.channel, message.sender};
    auto routed = co_await core_.store.run(std::move(known));
    if (!routed) {
        co_return routed.error();
    }
    if (*routed) {
        co_return **routed;
    }

    ops::find_rooms_by_channel candidates{message.organization, message.channel};
    auto found = co_await core_.store.run(std::move(candidates));
    if (!found) {
        co_return found.error();
    }
    if (found->size() == 1) {
        co_return found->front();
    }
    auto made = co_await make_room(std::move(message));
    co_return made;
}

/// Room and route are one transaction: of two workers that see a sender's first message the loser gets the
/// winner's room.
awaitable<result<room_id>> inbound::make_room(inbound_message message) {
    const std::shared_ptr<channel> entered = core_.channels.find(message.channel);
    if (entered == nullptr) {
        co_return errc::channel_not_registered;  // removed since the message came in
    }
    ops::create_routed_room request;
    request.room.id = core_.ids.next<room_id>();
    request.room.organization = message.organization;
    request.bindings.push_back(as_binding(*entered, request.room.id));
    request.participants.push_back(
        as_participant(message, request.room.id, core_.ids.next<participant_id>())
    );
    request.channel = message.channel;
    request.sender = message.sender;
    auto made = co_await core_.store.run(std::move(request));
    co_return made;
}

/// Attaches the channel where it is not bound yet, unless it was detached on purpose, and finds the author.
awaitable<result<participant_id>> inbound::join_room(inbound_message message, room_id room) {
    ops::load_room_context request{message.organization, room};
    auto around = co_await core_.store.run(std::move(request));
    if (!around) {
        co_return around.error();
    }
    if (!is_open(around->room.status)) {
        co_return participant_id{};  // the gates refuse it
    }

    const bool is_bound = around->find_binding(message.channel) != nullptr;
    if (!is_bound && !was_detached(around->room, message.channel)) {
        const std::shared_ptr<channel> entered = core_.channels.find(message.channel);
        if (entered == nullptr) {
            co_return errc::channel_not_registered;  // removed since the message came in
        }
        ops::put_binding attach{message.organization, as_binding(*entered, room)};
        const auto attached = co_await core_.store.run(std::move(attach));
        if (!attached) {
            co_return attached.error();
        }
    }
    auto author = co_await identify(std::move(message), std::move(*around));
    co_return author;
}

/// The participant with this address, the identity behind it, or a new participant.
awaitable<result<participant_id>> inbound::identify(inbound_message message, room_context around) {
    if (message.sender.empty()) {
        co_return participant_id{};
    }
    const auto known = std::ranges::find(
        around.participants, message.sender, &participant::external_id
    );
    if (known != around.participants.end()) {
        co_return known->id;
    }

    const std::shared_ptr<channel> entered = core_.channels.find(message.channel);
    if (entered == nullptr) {
        co_return errc::channel_not_registered;  // removed since the message came in
    }
    ops::resolve_identity who{message.organization, entered->type(), message.sender};
    auto person = co_await core_.store.run(std::move(who));
    if (!person) {
        co_return person.error();
    }
    if (*person) {
        const auto same = std::ranges::find(
            around.participants, (*person)->id, &participant::identity
        );
        if (same != around.participants.end()) {
            co_return same->id;
        }
    }

    participant joined = as_participant(message, around.room.id, core_.ids.next<participant_id>());
    if (*person) {
        joined.identity = (*person)->id;
        joined.display_name = (*person)->display_name;
    }
    ops::put_participant request{message.organization, std::move(joined)};
    auto put = co_await core_.store.run(std::move(request));
    if (!put) {
        co_return put.error();
    }
    co_return put->id;
}

}  // namespace convene
