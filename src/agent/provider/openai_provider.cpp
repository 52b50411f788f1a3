// SPDX-License-Identifier: Apache-2.0
// A conversation as the messages of a chat completion.
#include "agent/provider/openai_provider.hpp"

#include "agent/provider/openai_stream.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_name = 64;

void write_calls(json_writer& out, const std::vector<tool_call>& calls) {
    out.key("tool_calls").begin_array();
    for (const tool_call& call : calls) {
        out.begin_object();
        out.key("id").string(call.id).key("type").string("function");
        out.key("function").begin_object();
        out.key("name").string(plain_word(call.name, longest_name));
        out.key("arguments").string(call.arguments.str());
        out.end_object().end_object();
    }
    out.end_array();
}

void write_assistant(json_writer& out, const chat_message& said) {
    // One that said nothing at all is refused.
    if (said.text.empty() && said.calls.empty()) {
        return;
    }
    out.begin_object().key("role").string("assistant").key("content");
    if (said.text.empty()) {
        out.null();
    } else {
        out.string(said.text);
    }
    if (!said.calls.empty()) {
        write_calls(out, said.calls);
    }
    out.end_object();
}

void write_message(json_writer& out, const chat_message& said) {
    switch (said.role) {
        case chat_role::user:
            out.begin_object().key("role").string("user");
            out.key("content").string(spoken_text(said)).end_object();
            break;
        case chat_role::assistant:
            write_assistant(out, said);
            break;
        case chat_role::tool:
            out.begin_object().key("role").string("tool");
            out.key("tool_call_id").string(said.call_id);
            out.key("content").string(said.text).end_object();
            break;
    }
}

void write_tools(json_writer& out, const std::vector<tool_definition>& tools) {
    out.key("tools").begin_array();
    for (const tool_definition& tool : tools) {
        out.begin_object().key("type").string("function").key("function").begin_object();
        out.key("name").string(tool.name).key("description").string(tool.description);
        out.key("parameters").json(tool.parameters).end_object().end_object();
    }
    out.end_array();
}

}  // namespace

json_text openai_body_of(const model_request& request, const openai_settings& settings) {
    json_writer out;
    out.begin_object();
    out.key("model").string(request.model.empty() ? settings.model : request.model);
    out.key("stream").boolean(true);
    out.key("stream_options").begin_object().key("include_usage").boolean(true).end_object();
    const bool is_older = settings.limit_field == token_limit_field::max_tokens;
    out.key(is_older ? "max_tokens" : "max_completion_tokens").integer(request.max_output_tokens);
    if (request.temperature) {
        out.key("temperature").number(*request.temperature);
    }
    out.key("messages").begin_array();
    if (!request.system.empty()) {
        out.begin_object().key("role").string("system");
        out.key("content").string(request.system).end_object();
    }
    for (const chat_message& said : request.messages) {
        write_message(out, said);
    }
    out.end_array();
    // An empty list is refused.
    if (!request.tools.empty()) {
        write_tools(out, request.tools);
    }
    out.end_object();
    return out.take();
}

http_call openai_provider::call_of(const model_request& request) const {
    http_call call;
    call.url = joined_url(settings_.base_url, "/chat/completions");
    add_common_headers(call.headers);
    if (!settings_.key.empty()) {
        call.headers.add("authorization", "Bearer " + settings_.key);
    }
    call.body = openai_body_of(request, settings_).str();
    return call;
}

std::unique_ptr<answer_stream> openai_provider::read_answer(answer_limits limits, call_ids ids)
    const {
    return std::make_unique<openai_stream>(limits, std::move(ids));
}

}  // namespace convene
