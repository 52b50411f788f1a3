// SPDX-License-Identifier: Apache-2.0
// Settings of agents in bodies.
#include "http/resource/agent_body.hpp"

#include <algorithm>
#include <utility>

#include "http/resource/bodies.hpp"
#include "integration/webhook_url.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_instructions = 100'000;

/// The text of a field that is set; the empty text is not set either.
std::string text_or_empty(const read_object& body, std::string_view name) {
    return body.text(name).value_or(std::string{});
}

}  // namespace

const schema& agent_settings_input() {
    static const schema tool = schema::word(
        "RoomTool", {"add_task", "observe", "read_messages", "wake_me"}
    );
    static const schema made = schema::input(
        "AgentSettings",
        {required("provider", schema::word("ModelProvider", {"anthropic", "openai", "scripted"})),
         optional("model", schema::text({0, 200}), "The provider's name of it"),
         optional(
             "base_url",
             schema::text({0, max_webhook_url_bytes}),
             "Where the provider is; left out: its own"
         ),
         optional(
             "instructions", schema::text({0, longest_instructions}), "What the agent is to do"
         ),
         optional("tools", schema::list(tool, 10), "What it can do in its room"),
         optional(
             "requires_approval",
             schema::list(tool, 10),
             "Tools that it calls only in sessions, and only as an approval allows"
         ),
         optional(
             "approvers",
             schema::list(schema::text({1, 256}), 100),
             "Users, or `role:` and a role; left out: who takes part in the room"
         ),
         optional("max_output_tokens", schema::integer({1, 1'000'000}), "Left out: 4096"),
         optional("temperature", schema::number(0, 2), "Left out: the provider's"),
         optional("max_rounds", schema::integer({1, 100}), "Questions to the model; left out: 10"),
         optional("max_calls_per_round", schema::integer({1, 100}), "Left out: 16"),
         optional(
             "history_tokens",
             schema::integer({100, 1'000'000}),
             "About how much of the room the model is shown; left out: 24000"
         ),
         optional(
             "deadline_ms", schema::integer({1'000, 3'600'000}), "Of an answer; left out: 300000"
         ),
         optional("streams", schema::boolean(), "Segments while it is made; left out: true"),
         optional(
             "streams_to",
             schema::text({0, 256}),
             "The channel that shows answers while they are made: it gets no segments"
         ),
         optional(
             "tool_calls_visible_to",
             schema::text({1, 10'000}),
             "Who sees its tool calls, besides itself; left out: `internal`, nobody"
         )}
    );
    return made;
}

or_problem<> check_agent_settings(const read_object& body, const std::string& path) {
    const std::string url = text_or_empty(body, "base_url");
    const checked<> usable = url.empty() ? checked<>{} : check_webhook_url(url, path + ".base_url");
    if (!usable) {
        return problem_of(usable.error());
    }
    if (const auto shown_to = body.text("tool_calls_visible_to")) {
        const auto parsed = read_visibility(*shown_to, path + ".tool_calls_visible_to");
        if (!parsed) {
            return parsed.error();
        }
    }
    return {};
}

registered_agent agent_settings_of(const read_object& body) {
    registered_agent made;
    made.provider = text_or_empty(body, "provider");
    made.model = text_or_empty(body, "model");
    made.base_url = text_or_empty(body, "base_url");
    made.instructions = text_or_empty(body, "instructions");
    for (const std::string& word : body.texts("tools")) {
        const auto known = room_tool_from(word);
        if (known && std::ranges::find(made.tools, *known) == made.tools.end()) {
            made.tools.push_back(*known);
        }
    }
    made.requires_approval = body.texts("requires_approval");
    made.approvers = body.texts("approvers");
    made.max_output_tokens = body.integer("max_output_tokens").value_or(made.max_output_tokens);
    made.temperature = body.number("temperature");
    made.max_rounds = body.integer("max_rounds").value_or(made.max_rounds);
    made.max_calls_per_round = body.integer("max_calls_per_round")
                                   .value_or(made.max_calls_per_round);
    made.history_tokens = body.integer("history_tokens").value_or(made.history_tokens);
    made.deadline = std::chrono::milliseconds{
        body.integer("deadline_ms").value_or(made.deadline.count())
    };
    const bool streams = body.boolean("streams").value_or(made.form == answer_form::streamed);
    made.form = streams ? answer_form::streamed : answer_form::whole;
    made.streams_to = channel_id{text_or_empty(body, "streams_to")};
    if (const auto shown_to = body.text("tool_calls_visible_to")) {
        const auto parsed = visibility::parse(*shown_to);
        made.tool_calls_visible_to = parsed ? *parsed : made.tool_calls_visible_to;
    }
    return made;
}

}  // namespace convene
