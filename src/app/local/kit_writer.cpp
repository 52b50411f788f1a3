// SPDX-License-Identifier: Apache-2.0
// Kit writer: the engine's calls, and their errors in words.
#include "app/local/kit_writer.hpp"

#include <utility>

namespace convene {

namespace {

/// Enough for one commit to take many; few enough for memory. The engine keeps the order in which they came.
constexpr std::size_t most_sends_at_once = 32;

}  // namespace

awaitable<outcome<room_context>> kit_writer::create_room(
    room wanted, std::vector<participant> participants
) {
    wanted.organization = organization_;
    std::vector<binding> no_bindings;
    const auto created = co_await kit_.create_room(
        std::move(wanted), std::move(no_bindings), std::move(participants)
    );
    if (!created) {
        co_return store_failure(created.error(), "making the room");
    }
    auto whole = co_await kit_.get_room(organization_, created->id);
    if (!whole) {
        co_return store_failure(whole.error(), "reading the room");
    }
    co_return std::move(*whole);
}

awaitable<outcome<>> kit_writer::add_participant(participant joining) {
    const auto joined = co_await kit_.put_participant(organization_, std::move(joining));
    if (!joined) {
        co_return store_failure(joined.error(), "adding the speaker to the room");
    }
    co_return outcome<>{};
}

awaitable<outcome<send_receipt>> kit_writer::send_event(outgoing_event sent, wait_for until) {
    sent.organization = organization_;
    auto receipt = co_await kit_.send_event(std::move(sent), until);
    if (!receipt) {
        co_return store_failure(receipt.error(), "sending");
    }
    co_return std::move(*receipt);
}

awaitable<outcome<>> kit_writer::set_room_status(room_id id, room_status to) {
    const auto changed = co_await kit_.set_room_status(organization_, std::move(id), to);
    if (!changed) {
        co_return store_failure(changed.error(), "changing the room's status");
    }
    co_return outcome<>{};
}

std::size_t kit_writer::most_in_flight() const noexcept { return most_sends_at_once; }

}  // namespace convene
