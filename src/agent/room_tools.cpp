// SPDX-License-Identifier: Apache-2.0
// Room tools: reading goes through the rules of history, writing waits for the answer.
#include "agent/room_tools.hpp"

#include "convene/conversation_store.hpp"
#include "convene/room_kit.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "agent/tool_arguments.hpp"
#include "base/assert.hpp"
#include "room/permissions.hpp"
#include "store/operations/timeline.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::int64_t most_messages = 50;
constexpr std::int64_t usual_messages = 20;

class read_messages_tool final : public tool {
   public:
    read_messages_tool(room_kit* kit, event_index first) : kit_(*kit), first_(first) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            std::string{word_of(room_tool::read_messages)},
            "Reads messages of this room that are older than those shown.",
            R"({"type":"object","properties":{"before":{"type":"integer","minimum":0,"description":"Only messages with a smaller number; left out: older than those shown"},"limit":{"type":"integer","minimum":1,"maximum":50}},"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context context)
        override {
        auto around = co_await kit_.get_room(context.organization, context.room);
        if (!around) {
            co_return around.error();
        }
        const binding* own = around->find_binding(context.agent);
        if (own == nullptr) {
            co_return errc::not_authorized;
        }
        ops::list_events request;
        request.organization = context.organization;
        request.room = context.room;
        request.before = event_index{
            integer_argument(arguments, "before", {0, INT64_MAX}).value_or(first_.value())
        };
        const std::int64_t limit = integer_argument(arguments, "limit", {1, most_messages})
                                       .value_or(usual_messages);
        request.limit = static_cast<std::size_t>(limit);
        auto events = co_await kit_.store().run(std::move(request));
        if (!events) {
            co_return events.error();
        }
        const bool is_all = events->size() < static_cast<std::size_t>(limit);
        const event_index oldest = events->empty() ? event_index{0} : events->front().index;
        std::string told = list(*around, visible_history(*around, *own, std::move(*events)));
        told += is_all ? "There are no older messages."
                       : "Older: before " + std::to_string(oldest.value()) + ".";
        co_return tool_output{std::move(told)};
    }

   private:
    static std::string list(const room_context& around, const std::vector<room_event>& events) {
        std::string told;
        for (const room_event& event : events) {
            const bool is_said = event.type == event_type::message && !event.is_deleted;
            if (!is_said || !is_message(event.content.type())) {
                continue;
            }
            const participant* author = around.find_participant(event.source.participant);
            const bool has_name = author != nullptr && !author->display_name.empty();
            const std::string& who = event.source.participant.empty()
                                         ? event.source.channel.str()
                                         : event.source.participant.str();
            told += std::to_string(event.index.value()) + " ";
            told += has_name ? author->display_name : who;
            told += ": " + readable_text(event.content) + "\n";
        }
        return told;
    }

    room_kit& kit_;
    const event_index first_;
};

room_task task_of(const json_text& arguments) {
    room_task made;
    made.title = text_argument(arguments, "title");
    made.description = text_argument(arguments, "description");
    made.assigned_to = text_argument(arguments, "assigned_to");
    return made;
}

observation observation_of(const json_text& arguments) {
    observation made;
    made.content = text_argument(arguments, "text");
    made.category = text_argument(arguments, "category");
    return made;
}

class add_task_tool final : public tool {
   public:
    explicit add_task_tool(std::shared_ptr<answer_notes> into) : into_(std::move(into)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            std::string{word_of(room_tool::add_task)},
            "Adds a task to this room. It is stored together with your answer.",
            R"({"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":500},"description":{"type":"string","maxLength":10000},"assigned_to":{"type":"string","maxLength":200}},"required":["title"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        if (into_->tasks.size() >= answer_notes::most) {
            co_return tool_output{"Not added: there are too many tasks already.", true};
        }
        into_->tasks.push_back(task_of(arguments));
        co_return tool_output{"Added."};
    }

   private:
    const std::shared_ptr<answer_notes> into_;
};

class observe_tool final : public tool {
   public:
    explicit observe_tool(std::shared_ptr<answer_notes> into) : into_(std::move(into)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            std::string{word_of(room_tool::observe)},
            "Notes an observation about this conversation. It is stored with your answer, not "
            "shown to people.",
            R"({"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":10000},"category":{"type":"string","maxLength":100}},"required":["text"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        if (into_->observations.size() >= answer_notes::most) {
            co_return tool_output{"Not noted: there are too many observations already.", true};
        }
        into_->observations.push_back(observation_of(arguments));
        co_return tool_output{"Noted."};
    }

   private:
    const std::shared_ptr<answer_notes> into_;
};

}  // namespace

std::string_view word_of(room_tool which) noexcept {
    switch (which) {
        case room_tool::read_messages:
            return "read_messages";
        case room_tool::add_task:
            return "add_task";
        case room_tool::observe:
            return "observe";
        case room_tool::wake_me:
            return "wake_me";
    }
    return {};
}

std::optional<room_tool> room_tool_from(std::string_view word) noexcept {
    using enum room_tool;
    for (const room_tool one : {read_messages, add_task, observe, wake_me}) {
        if (word_of(one) == word) {
            return one;
        }
    }
    return std::nullopt;
}

std::shared_ptr<tool> make_read_messages_tool(room_kit* kit, event_index first) {
    return std::make_shared<read_messages_tool>(kit, first);
}

std::shared_ptr<tool> make_add_task_tool(std::shared_ptr<answer_notes> into) {
    return std::make_shared<add_task_tool>(std::move(into));
}

std::shared_ptr<tool> make_observe_tool(std::shared_ptr<answer_notes> into) {
    return std::make_shared<observe_tool>(std::move(into));
}

void add_room_tools(
    toolbox* to, const std::vector<room_tool>& wanted, const room_tool_parts& with
) {
    for (const room_tool which : wanted) {
        std::shared_ptr<tool> made;
        switch (which) {
            case room_tool::read_messages:
                made = make_read_messages_tool(with.kit, with.first_shown);
                break;
            case room_tool::add_task:
                made = make_add_task_tool(with.notes);
                break;
            case room_tool::observe:
                made = make_observe_tool(with.notes);
                break;
            case room_tool::wake_me:
                made = with.wake;
                break;
        }
        if (made == nullptr) {
            continue;
        }
        const result<> added = to->add(with.guard ? with.guard(std::move(made)) : std::move(made));
        CONVENE_ASSERT(added.has_value(), "a room tool is named once and has a good schema");
    }
}

void repeat_note(answer_notes* into, std::string_view name, const json_text& arguments) {
    if (name == word_of(room_tool::add_task)) {
        into->tasks.push_back(task_of(arguments));
    } else if (name == word_of(room_tool::observe)) {
        into->observations.push_back(observation_of(arguments));
    }
}

}  // namespace convene
