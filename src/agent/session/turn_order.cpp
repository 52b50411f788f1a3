// SPDX-License-Identifier: Apache-2.0
// Turn order: the input in the form in which clients send it, and what the server knows besides.
#include "agent/session/turn_order.hpp"

#include <string>
#include <utility>

#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

turn_order order_that_tells(const room_id& room, const std::string& id, std::string text) {
    turn_order order;
    order.said.thread = room.str();
    order.said.run = id;
    order.said.messages.push_back({id, std::move(text)});
    return order;
}

json_text write_turn_order(const turn_order& order) {
    json_writer out;
    out.begin_object();
    out.key("input").json(write_run_input(order.said));
    out.key("channel").string(order.channel.str());
    out.key("participant").string(order.participant.str());
    out.key("on_disconnect").integer(static_cast<int>(order.on_disconnect));
    out.key("wakes").integer(order.wakes_in_a_row);
    out.end_object();
    return out.take();
}

result<turn_order> read_turn_order(const json_text& stored) {
    constexpr boundary_limits limits = boundary_limits::of_stored_json();
    const auto document = json_document::parse(stored.str(), "turn", limits);
    if (!document || !document->member("input")) {
        return errc::corrupt_data;
    }
    auto said = parse_run_input(*document->member("input"), limits);
    const auto fields = document->object();
    if (!said || !fields) {
        return errc::corrupt_data;
    }
    const auto channel = fields->optional_text("channel");
    const auto participant = fields->optional_text("participant");
    const auto policy = fields->optional_integer("on_disconnect", {1, 3});
    const auto wakes = fields->optional_integer("wakes", {0, INT32_MAX});
    if (!channel || !participant || !policy || !wakes) {
        return errc::corrupt_data;
    }
    turn_order order;
    order.said = *std::move(said);
    order.channel = channel_id{std::string{channel->value_or("")}};
    order.participant = participant_id{std::string{participant->value_or("")}};
    order.on_disconnect = static_cast<disconnect_policy>(
        policy->value_or(static_cast<int>(disconnect_policy::detach))
    );
    order.wakes_in_a_row = static_cast<std::int32_t>(wakes->value_or(0));
    return order;
}

}  // namespace convene
