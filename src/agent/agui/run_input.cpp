// SPDX-License-Identifier: Apache-2.0
// Run input: one reader for each part of it.
#include "agent/agui/run_input.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

#include "base/field_path.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

namespace json = boost::json;

constexpr std::size_t longest_tool_name = 64;

bool is_tool_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= longest_tool_name &&
           std::ranges::all_of(name, is_allowed);
}

/// The elements of a list that may be absent. *Errors*: it is something else.
checked<const json::array*> list_of(const json::object& object, std::string_view name) {
    static const json::array none;
    const json::value* found = object.if_contains(name);
    if (found == nullptr || found->is_null()) {
        return &none;
    }
    if (!found->is_array()) {
        return boundary_error{std::string{name}, boundary_reason::wrong_type};
    }
    return &found->get_array();
}

checked<const json::object*> object_of(const json::value& value, const std::string& path) {
    if (!value.is_object()) {
        return boundary_error{path, boundary_reason::wrong_type};
    }
    return &value.get_object();
}

/// Any member as canonical text; the document was canonical before it was read.
json_text text_of(const json::value& value) {
    return json_text::trusted(clean_json(json::serialize(value)).value.str());
}

// ---- messages --------------------------------------------------------------------------------------------

struct said_text {
    std::string text;
};

/// Text, or a list of parts that are all text: what else there is would be lost.
checked<said_text> content_of(
    const json::object& message, const std::string& path, const boundary_limits& limits
) {
    const json::value* content = message.if_contains("content");
    const std::string at = member_path(path, "content");
    if (content == nullptr || content->is_null()) {
        return said_text{};
    }
    if (!content->is_array()) {
        const checked<std::string_view> text = read_text(*content, at, limits);
        if (!text) {
            return text.error();
        }
        return said_text{std::string{*text}};
    }
    said_text whole;
    const json::array& parts = content->get_array();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part_path = element_path(at, i);
        const checked<const json::object*> part = object_of(parts[i], part_path);
        if (!part) {
            return part.error();
        }
        const object_reader fields{**part, part_path};
        const checked<std::string_view> type = fields.text("type");
        if (!type) {
            return type.error();
        }
        if (*type != "text") {
            return boundary_error{part_path, boundary_reason::not_allowed_here};
        }
        const checked<std::string_view> text = fields.text("text");
        if (!text) {
            return text.error();
        }
        whole.text += *text;
    }
    if (const checked<> fits = check_text(whole.text, at, limits); !fits) {
        return fits.error();
    }
    return whole;
}

checked<> read_message(
    run_input* into,
    const json::object& message,
    const std::string& path,
    const boundary_limits& limits
) {
    const object_reader fields{message, path};
    const checked<std::string_view> id = fields.id("id");
    if (!id) {
        return id.error();
    }
    const checked<std::string_view> role = fields.text("role");
    if (!role) {
        return role.error();
    }
    if (*role != "user" && *role != "tool") {
        return {};
    }
    checked<said_text> said = content_of(message, path, limits);
    if (!said) {
        return said.error();
    }
    if (*role == "user") {
        if (said->text.empty()) {
            return boundary_error{member_path(path, "content"), boundary_reason::empty};
        }
        into->messages.push_back({std::string{*id}, std::move(said->text)});
        return {};
    }
    const checked<std::string_view> call = fields.id("toolCallId");
    if (!call) {
        return call.error();
    }
    const checked<std::optional<std::string_view>> error = fields.optional_text("error");
    if (!error) {
        return error.error();
    }
    const bool has_failed = error->has_value() && !(*error)->empty();
    std::string text = has_failed && said->text.empty() ? std::string{**error}
                                                        : std::move(said->text);
    into->results.push_back({std::string{*id}, std::string{*call}, std::move(text), has_failed});
    return {};
}

bool is_of_assistant(const json::value& message) {
    const json::object* fields = message.if_object();
    const json::value* role = fields == nullptr ? nullptr : fields->if_contains("role");
    return role != nullptr && role->is_string() && role->get_string() == "assistant";
}

checked<> read_messages(run_input* into, const json::object& root, const boundary_limits& limits) {
    const checked<const json::array*> all = list_of(root, "messages");
    if (!all) {
        return all.error();
    }
    const json::array& messages = **all;
    std::size_t first = messages.size();
    while (first > 0 && !is_of_assistant(messages[first - 1])) {
        --first;
    }
    for (std::size_t i = first; i < messages.size(); ++i) {
        const std::string path = element_path("messages", i);
        const checked<const json::object*> message = object_of(messages[i], path);
        if (!message) {
            return message.error();
        }
        if (const checked<> read = read_message(into, **message, path, limits); !read) {
            return read.error();
        }
    }
    return {};
}

// ---- tools, context, answers -----------------------------------------------------------------------------

checked<> read_tools(run_input* into, const json::object& root) {
    const checked<const json::array*> all = list_of(root, "tools");
    if (!all) {
        return all.error();
    }
    if ((*all)->size() > most_client_tools) {
        return boundary_error{"tools", boundary_reason::too_many};
    }
    for (std::size_t i = 0; i < (*all)->size(); ++i) {
        const std::string path = element_path("tools", i);
        const checked<const json::object*> given = object_of((**all)[i], path);
        if (!given) {
            return given.error();
        }
        const object_reader fields{**given, path};
        const checked<std::string_view> name = fields.text("name");
        if (!name) {
            return name.error();
        }
        if (!is_tool_name(*name)) {
            return boundary_error{fields.path_of("name"), boundary_reason::malformed};
        }
        const auto is_same = [&name](const tool_definition& other) { return other.name == *name; };
        if (std::ranges::any_of(into->tools, is_same)) {
            return boundary_error{fields.path_of("name"), boundary_reason::duplicate_key};
        }
        const checked<std::optional<std::string_view>> about = fields.optional_text("description");
        if (!about) {
            return about.error();
        }
        tool_definition tool;
        tool.name = *name;
        tool.description = about->value_or("");
        const json::value* parameters = (*given)->if_contains("parameters");
        if (parameters != nullptr && !parameters->is_null()) {
            if (!parameters->is_object()) {
                return boundary_error{fields.path_of("parameters"), boundary_reason::wrong_type};
            }
            tool.parameters = text_of(*parameters);
        } else {
            tool.parameters = json_text::trusted(R"({"type":"object"})");
        }
        into->tools.push_back(std::move(tool));
    }
    return {};
}

checked<> read_context(run_input* into, const json::object& root) {
    const checked<const json::array*> all = list_of(root, "context");
    if (!all) {
        return all.error();
    }
    if ((*all)->size() > most_context_items) {
        return boundary_error{"context", boundary_reason::too_many};
    }
    for (std::size_t i = 0; i < (*all)->size(); ++i) {
        const std::string path = element_path("context", i);
        const checked<const json::object*> given = object_of((**all)[i], path);
        if (!given) {
            return given.error();
        }
        const object_reader fields{**given, path};
        const checked<std::string_view> description = fields.text("description");
        if (!description) {
            return description.error();
        }
        const checked<std::string_view> value = fields.text("value");
        if (!value) {
            return value.error();
        }
        into->context.push_back({std::string{*description}, std::string{*value}});
    }
    return {};
}

checked<> read_answers(run_input* into, const json::object& root) {
    const checked<const json::array*> all = list_of(root, "resume");
    if (!all) {
        return all.error();
    }
    if ((*all)->size() > most_answers) {
        return boundary_error{"resume", boundary_reason::too_many};
    }
    for (std::size_t i = 0; i < (*all)->size(); ++i) {
        const std::string path = element_path("resume", i);
        const checked<const json::object*> given = object_of((**all)[i], path);
        if (!given) {
            return given.error();
        }
        const object_reader fields{**given, path};
        const checked<std::string_view> interrupt = fields.id("interruptId");
        if (!interrupt) {
            return interrupt.error();
        }
        const checked<std::string_view> status = fields.text("status");
        if (!status) {
            return status.error();
        }
        if (*status != "resolved" && *status != "cancelled") {
            return boundary_error{fields.path_of("status"), boundary_reason::unknown_value};
        }
        interrupt_answer answer;
        answer.interrupt = *interrupt;
        answer.is_cancelled = *status == "cancelled";
        if (const json::value* payload = (*given)->if_contains("payload")) {
            answer.payload = text_of(*payload);
        }
        into->answers.push_back(std::move(answer));
    }
    return {};
}

checked<> read_state(run_input* into, const json::object& root) {
    const json::value* state = root.if_contains("state");
    if (state == nullptr || state->is_null()) {
        return {};
    }
    if (!state->is_object()) {
        return boundary_error{"state", boundary_reason::wrong_type};
    }
    into->state = text_of(*state);
    return {};
}

void write_messages(json_writer* out, const run_input& input) {
    out->key("messages").begin_array();
    for (const new_user_message& one : input.messages) {
        out->begin_object().key("id").string(one.id).key("role").string("user");
        out->key("content").string(one.text).end_object();
    }
    for (const client_tool_result& one : input.results) {
        out->begin_object().key("id").string(one.id).key("role").string("tool");
        out->key("toolCallId").string(one.call).key("content").string(one.text);
        if (one.is_error) {
            out->key("error").string(one.text.empty() ? "failed" : one.text);
        }
        out->end_object();
    }
    out->end_array();
}

void write_answers(json_writer* out, const run_input& input) {
    out->key("resume").begin_array();
    for (const interrupt_answer& one : input.answers) {
        out->begin_object().key("interruptId").string(one.interrupt);
        out->key("status").string(one.is_cancelled ? "cancelled" : "resolved");
        out->key("payload").json(one.payload).end_object();
    }
    out->end_array();
}

}  // namespace

json_text write_run_input(const run_input& input) {
    json_writer out;
    out.begin_object().key("threadId").string(input.thread).key("runId").string(input.run);
    write_messages(&out, input);
    out.key("tools").begin_array();
    for (const tool_definition& one : input.tools) {
        out.begin_object().key("name").string(one.name);
        out.key("description").string(one.description);
        out.key("parameters").json(one.parameters).end_object();
    }
    out.end_array();
    out.key("context").begin_array();
    for (const run_context_item& one : input.context) {
        out.begin_object().key("description").string(one.description);
        out.key("value").string(one.value).end_object();
    }
    out.end_array();
    write_answers(&out, input);
    if (input.state) {
        out.key("state").json(*input.state);
    }
    out.end_object();
    return out.take();
}

checked<run_input> parse_run_input(std::string_view body, const boundary_limits& limits) {
    const checked<json_document> document = json_document::parse(body, "", limits);
    if (!document) {
        return document.error();
    }
    const checked<const json::object*> root = object_of(document->root(), "");
    if (!root) {
        return root.error();
    }
    const object_reader fields{**root, ""};
    const checked<std::string_view> thread = fields.id("threadId");
    if (!thread) {
        return thread.error();
    }
    const checked<std::string_view> run = fields.id("runId");
    if (!run) {
        return run.error();
    }
    run_input input;
    input.thread = *thread;
    input.run = *run;
    for (const checked<>& read :
         {read_messages(&input, **root, limits),
          read_tools(&input, **root),
          read_context(&input, **root),
          read_answers(&input, **root),
          read_state(&input, **root)}) {
        if (!read) {
            return read.error();
        }
    }
    return input;
}

}  // namespace convene
