// SPDX-License-Identifier: Apache-2.0
// A conversation as messages of content blocks, in turns of user and assistant.
#include "agent/provider/anthropic_provider.hpp"

#include <string_view>

#include "agent/provider/anthropic_stream.hpp"
#include "agent/provider/thinking_seal.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::string_view api_version = "2023-06-01";
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_id = 128;

/// Stands where the API wants a user's message and there is none.
constexpr std::string_view nothing_said = "(nothing was said)";

/// Puts consecutive messages of one role into one, as the API wants them: all results of an assistant's calls, and what
/// people said behind them.
class turn_writer {
   public:
    explicit turn_writer(json_writer& out) : out_(out) {}

    /// The place for the next block of a turn of this role.
    json_writer& block_of(std::string_view role) {
        if (role != role_) {
            end_turn();
            if (role_.empty() && role == "assistant") {
                begin_turn("user");
                write_text(nothing_said);
                end_turn();
            }
            begin_turn(role);
        }
        return out_;
    }

    void write_text(std::string_view text) {
        out_.begin_object().key("type").string("text").key("text").string(text).end_object();
    }

    void finish() { end_turn(); }

   private:
    void begin_turn(std::string_view role) {
        role_ = role;
        out_.begin_object().key("role").string(role).key("content").begin_array();
    }

    void end_turn() {
        if (!role_.empty()) {
            out_.end_array().end_object();
        }
    }

    json_writer& out_;
    std::string_view role_;
};

void write_thinking(json_writer& out, const thinking_block& block) {
    out.begin_object();
    if (block.is_hidden) {
        out.key("type").string("redacted_thinking").key("data").string(block.seal);
    } else {
        out.key("type").string("thinking").key("thinking").string(block.text);
        out.key("signature").string(block.seal);
    }
    out.end_object();
}

void write_assistant(turn_writer& turns, const chat_message& said) {
    // Thinking alone is no content.
    if (is_blank(said.text) && said.calls.empty()) {
        return;
    }
    json_writer& out = turns.block_of("assistant");
    for (const thinking_block& block : thinking_of(said)) {
        write_thinking(out, block);
    }
    if (!is_blank(said.text)) {
        turns.write_text(said.text);
    }
    for (const tool_call& call : said.calls) {
        out.begin_object().key("type").string("tool_use");
        out.key("id").string(plain_word(call.id, longest_id));
        out.key("name").string(plain_word(call.name, longest_name));
        out.key("input").json(call.arguments).end_object();
    }
}

void write_result(turn_writer& turns, const chat_message& said) {
    json_writer& out = turns.block_of("user");
    out.begin_object().key("type").string("tool_result");
    out.key("tool_use_id").string(plain_word(said.call_id, longest_id));
    if (!is_blank(said.text)) {
        out.key("content").string(said.text);
    }
    if (said.is_error) {
        out.key("is_error").boolean(true);
    }
    out.end_object();
}

void write_message(turn_writer& turns, const chat_message& said) {
    switch (said.role) {
        case chat_role::user:
            turns.block_of("user");
            turns.write_text(is_blank(said.text) ? std::string{nothing_said} : spoken_text(said));
            break;
        case chat_role::assistant:
            write_assistant(turns, said);
            break;
        case chat_role::tool:
            write_result(turns, said);
            break;
    }
}

void write_limits(
    json_writer& out, const model_request& request, const anthropic_settings& settings
) {
    const std::int64_t thinking = settings.thinking_tokens;
    out.key("max_tokens").integer(request.max_output_tokens + thinking);
    if (thinking > 0) {
        // A model that thinks takes no temperature.
        out.key("thinking").begin_object().key("type").string("enabled");
        out.key("budget_tokens").integer(thinking).end_object();
    } else if (request.temperature) {
        out.key("temperature").number(*request.temperature);
    }
}

}  // namespace

json_text anthropic_body_of(const model_request& request, const anthropic_settings& settings) {
    json_writer out;
    out.begin_object();
    out.key("model").string(request.model.empty() ? settings.model : request.model);
    out.key("stream").boolean(true);
    write_limits(out, request, settings);
    if (!is_blank(request.system)) {
        out.key("system").string(request.system);
    }
    out.key("messages").begin_array();
    turn_writer turns{out};
    for (const chat_message& said : request.messages) {
        write_message(turns, said);
    }
    turns.finish();
    out.end_array();
    if (!request.tools.empty()) {
        out.key("tools").begin_array();
        for (const tool_definition& tool : request.tools) {
            out.begin_object().key("name").string(tool.name);
            out.key("description").string(tool.description);
            out.key("input_schema").json(tool.parameters).end_object();
        }
        out.end_array();
    }
    out.end_object();
    return out.take();
}

http_call anthropic_provider::call_of(const model_request& request) const {
    http_call call;
    call.url = joined_url(settings_.base_url, "/v1/messages");
    add_common_headers(call.headers);
    call.headers.add("anthropic-version", std::string{api_version});
    if (!settings_.key.empty()) {
        call.headers.add("x-api-key", settings_.key);
    }
    call.body = anthropic_body_of(request, settings_).str();
    return call;
}

std::unique_ptr<answer_stream> anthropic_provider::read_answer(answer_limits limits, call_ids ids)
    const {
    return std::make_unique<anthropic_stream>(limits, std::move(ids));
}

}  // namespace convene
