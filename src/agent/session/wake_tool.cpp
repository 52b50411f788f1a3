// SPDX-License-Identifier: Apache-2.0
// Wake tool: a turn of its own, under the id of the call: the same call schedules once.
#include "agent/session/wake_tool.hpp"

#include "convene/conversation_store.hpp"
#include "convene/room_kit.hpp"

#include <chrono>
#include <utility>

#include "agent/room_tools.hpp"
#include "agent/session/turn_order.hpp"
#include "agent/tool_arguments.hpp"
#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

class wake_tool final : public tool {
   public:
    explicit wake_tool(wake_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            std::string{word_of(room_tool::wake_me)},
            "Has you woken later in this conversation, with a note of yours, whether or not "
            "somebody writes until then.",
            R"({"type":"object","properties":{"in_seconds":{"type":"integer","minimum":1,"maximum":31536000},"note":{"type":"string","minLength":1,"maxLength":2000,"description":"What you want to know or do then"}},"required":["in_seconds","note"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context context)
        override {
        if (of_.wakes_in_a_row >= most_wakes_in_a_row) {
            co_return tool_output{
                "Not scheduled: you were woken " + std::to_string(of_.wakes_in_a_row) +
                    " times in a row, and nobody has said anything. Wait until somebody does.",
                true,
            };
        }
        ops::queue_turn request = schedule(arguments, std::move(context.call_key));
        const auto queued = co_await of_.kit->store().run(std::move(request));
        if (queued || queued.error() == errc::already_exists) {
            co_return tool_output{"Scheduled."};
        }
        if (queued.error() == errc::overloaded) {
            co_return tool_output{"Not scheduled: too many wakes wait already.", true};
        }
        if (queued.error() == errc::execution_ended) {
            co_return tool_output{"Not scheduled: this execution is over.", true};
        }
        co_return queued.error();
    }

   private:
    [[nodiscard]] ops::queue_turn schedule(const json_text& arguments, std::string id) const {
        const std::string told = "It is time: you wanted to be woken now. Your note: " +
                                 text_argument(arguments, "note");
        turn_order order = order_that_tells(of_.room, id, told);
        order.wakes_in_a_row = of_.wakes_in_a_row + 1;
        ops::queue_turn request;
        request.turn.id = turn_id{std::move(id)};
        request.turn.room = of_.room;
        request.turn.organization = of_.organization;
        request.turn.kind = turn_kind::wake;
        request.turn.input = write_turn_order(order);
        request.turn.acting_for = of_.acting_for;
        request.turn.format = of_.kit->plan_format();
        request.delay = std::chrono::seconds{
            integer_argument(arguments, "in_seconds", {1, longest_wake_seconds}).value_or(1)
        };
        request.epoch = of_.epoch;
        return request;
    }

    const wake_place of_;
};

}  // namespace

std::shared_ptr<tool> make_wake_tool(wake_place of) {
    return std::make_shared<wake_tool>(std::move(of));
}

}  // namespace convene
