// SPDX-License-Identifier: Apache-2.0
// The agent of a room: window, loop and writer put together for one answer.
#include "agent/model_agent.hpp"

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/canonical_json.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

/// The notes that an answer had left when it was cut off.
void repeat_notes(answer_notes* into, const std::vector<room_event>& made_calls) {
    for (const room_event& event : made_calls) {
        const content& record = event.content;
        const auto arguments = find_member(record.json().str(), "arguments");
        if (record.tool_status() == tool_call_status::completed && arguments) {
            repeat_note(
                into,
                record.text_field("tool_name").value_or(std::string{}),
                json_text::trusted(std::string{*arguments})
            );
        }
    }
}

}  // namespace

model_agent::model_agent(model_agent_settings settings, parts from)
    : settings_(std::move(settings)), parts_(std::move(from)) {
    CONVENE_ASSERT(parts_.model != nullptr, "an agent needs a model");
}

awaitable<agent_answer> model_agent::answer(agent_request request, answer_sink* sink) {
    if (!settings_.is_enabled) {
        agent_answer none;
        none.finish_reason = "failed";
        none.outcome.error_code = "channel_disabled";
        co_return none;
    }
    if (parts_.leave_to_driver) {
        const result<bool> left = co_await parts_.leave_to_driver(request);
        if (!left) {
            agent_answer none;
            none.finish_reason = "failed";
            none.outcome.error_code = name_of(static_cast<errc>(left.error().value()));
            none.outcome.is_retryable = true;
            co_return none;
        }
        if (*left) {
            agent_answer none;
            none.finish_reason = "left_to_driver";
            co_return none;
        }
    }
    const coroutine_context context = co_await this_context();
    const auto notes = std::make_shared<answer_notes>();
    repeat_notes(notes.get(), request.made_calls);

    tool_loop_request asked;
    asked.context.organization = request.organization;
    asked.context.room = request.trigger.room;
    asked.context.agent = settings_.id;
    asked.context.on_behalf_of = request.trigger.source.participant.str();
    // An answer that is made again makes calls of its own.
    asked.context.call_key = request.id.str() + (request.is_regeneration ? ":1" : ":0");
    asked.limits = settings_.limits;
    asked.until = deadline{context.where->now() + settings_.deadline};

    chat_window_source source;
    source.agent = settings_.id;
    source.history = std::move(request.history);
    source.trigger = std::move(request.trigger);
    source.made_calls = std::move(request.made_calls);
    source.participants = std::move(request.participants);
    chat_window window = make_chat_window(source, settings_.window);
    asked.question.model = settings_.model;
    asked.question.system = settings_.instructions;
    asked.question.messages = std::move(window.messages);
    asked.question.max_output_tokens = settings_.max_output_tokens;
    asked.question.temperature = settings_.temperature;
    asked.tools = tools_for(notes, window.first);

    answer_writer writer{sink, context, settings_.writing};
    loop_end end = co_await run_tool_loop(parts_.model.get(), std::move(asked), &writer);
    const auto failed = static_cast<errc>(end.error.value());
    const std::string_view error = end.error ? name_of(failed) : std::string_view{};
    const log_level level = end.finish == loop_finish::failed ? log_level::warn : log_level::info;
    log(level,
        "agent_answered",
        {{"channel", settings_.id},
         {"provider", parts_.model->provider()},
         {"finish", word_of(end.finish)},
         {"error", error},
         {"rounds", end.rounds},
         {"input_tokens", end.usage.input},
         {"output_tokens", end.usage.output}});
    agent_answer given = co_await writer.conclude(std::move(end));
    if (given.outcome.error_code.empty()) {
        given.tasks = std::move(notes->tasks);
        given.observations = std::move(notes->observations);
    }
    co_return given;
}

/// Nobody can be asked in a room: what is called only with an approval is left out.
toolbox model_agent::tools_for(const std::shared_ptr<answer_notes>& notes, event_index first_shown)
    const {
    toolbox tools;
    const auto is_left_out = [this](std::string_view name) {
        const auto& asked_for = settings_.requires_approval;
        return std::ranges::find(asked_for, name) != asked_for.end();
    };
    for (const tool_definition& one : parts_.tools.definitions()) {
        if (!is_left_out(one.name)) {
            const result<> added = tools.add(parts_.tools.find(one.name));
            CONVENE_ASSERT(added.has_value(), "it was in a toolbox before");
        }
    }
    std::vector<room_tool> wanted = settings_.room_tools;
    std::erase_if(wanted, [&](room_tool which) { return is_left_out(word_of(which)); });
    add_room_tools(&tools, wanted, {parts_.kit, notes, first_shown});
    return tools;
}

}  // namespace convene
