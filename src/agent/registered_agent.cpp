// SPDX-License-Identifier: Apache-2.0
// Registered agents: settings to JSON and back, and the channel made of them.
#include "agent/registered_agent.hpp"

#include <algorithm>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr integer_range any_count{0, INT32_MAX};

/// Reads field after field; the first fault is kept.
class settings_reader {
   public:
    settings_reader(const boost::json::object& from, std::string path)
        : fields_(from, std::move(path)) {}

    void read(std::string_view name, std::string& into) {
        if (const auto found = keep(fields_.optional_text(name)); found && *found) {
            into = **found;
        }
    }

    void read(std::string_view name, std::int64_t& into) {
        if (const auto found = keep(fields_.optional_integer(name, any_count)); found && *found) {
            into = **found;
        }
    }

    void refuse(std::string_view name, boundary_reason why) {
        if (!fault_) {
            fault_ = boundary_error{fields_.path_of(name), why};
        }
    }

    [[nodiscard]] const std::optional<boundary_error>& fault() const noexcept { return fault_; }

   private:
    template <class Found>
    Found keep(Found found) {
        if (!found && !fault_) {
            fault_ = found.error();
        }
        return found;
    }

    const object_reader fields_;
    std::optional<boundary_error> fault_;
};

void read_tools(
    const boost::json::object& from, settings_reader& reading, std::vector<room_tool>& into
) {
    const boost::json::value* listed = from.if_contains("tools");
    if (listed == nullptr) {
        return;
    }
    if (!listed->is_array()) {
        reading.refuse("tools", boundary_reason::wrong_type);
        return;
    }
    for (const boost::json::value& one : listed->get_array()) {
        const auto known = one.is_string() ? room_tool_from(one.get_string()) : std::nullopt;
        if (!known) {
            reading.refuse("tools", boundary_reason::unknown_value);
        } else if (std::ranges::find(into, *known) == into.end()) {
            into.push_back(*known);
        }
    }
}

void read_words(
    const boost::json::object& from,
    std::string_view name,
    settings_reader& reading,
    std::vector<std::string>& into
) {
    const boost::json::value* listed = from.if_contains(name);
    if (listed == nullptr) {
        return;
    }
    if (!listed->is_array()) {
        reading.refuse(name, boundary_reason::wrong_type);
        return;
    }
    for (const boost::json::value& one : listed->get_array()) {
        if (one.is_string()) {
            into.emplace_back(one.get_string());
        } else {
            reading.refuse(name, boundary_reason::wrong_type);
        }
    }
}

void write_words(json_writer& out, const std::vector<std::string>& words) {
    out.begin_array();
    for (const std::string& one : words) {
        out.string(one);
    }
    out.end_array();
}

}  // namespace

json_text as_json(const registered_agent& shown) {
    json_writer out;
    out.begin_object();
    out.key("provider").string(shown.provider);
    out.key("model").string(shown.model);
    out.key("base_url").string(shown.base_url);
    out.key("instructions").string(shown.instructions);
    out.key("tools").begin_array();
    for (const room_tool one : shown.tools) {
        out.string(word_of(one));
    }
    out.end_array();
    write_words(out.key("requires_approval"), shown.requires_approval);
    write_words(out.key("approvers"), shown.approvers);
    out.key("max_output_tokens").integer(shown.max_output_tokens);
    out.key("temperature");
    if (shown.temperature) {
        out.number(*shown.temperature);
    } else {
        out.null();
    }
    out.key("max_rounds").integer(shown.max_rounds);
    out.key("max_calls_per_round").integer(shown.max_calls_per_round);
    out.key("history_tokens").integer(shown.history_tokens);
    out.key("deadline_ms").integer(shown.deadline.count());
    out.key("streams").boolean(shown.form == answer_form::streamed);
    out.key("streams_to").string(shown.streams_to.str());
    out.key("tool_calls_visible_to").string(shown.tool_calls_visible_to.text());
    out.end_object();
    return out.take();
}

checked<registered_agent> read_registered_agent(const json_text& settings, std::string_view field) {
    const auto document = json_document::parse(settings.str(), field);
    if (!document) {
        return document.error();
    }
    const boost::json::object* from = document->root().if_object();
    if (from == nullptr) {
        return boundary_error{std::string{field}, boundary_reason::wrong_type};
    }
    registered_agent made;
    settings_reader reading{*from, std::string{field}};
    reading.read("provider", made.provider);
    reading.read("model", made.model);
    reading.read("base_url", made.base_url);
    reading.read("instructions", made.instructions);
    read_tools(*from, reading, made.tools);
    read_words(*from, "requires_approval", reading, made.requires_approval);
    read_words(*from, "approvers", reading, made.approvers);
    reading.read("max_output_tokens", made.max_output_tokens);
    reading.read("max_rounds", made.max_rounds);
    reading.read("max_calls_per_round", made.max_calls_per_round);
    reading.read("history_tokens", made.history_tokens);
    std::int64_t deadline_ms = made.deadline.count();
    reading.read("deadline_ms", deadline_ms);
    made.deadline = std::chrono::milliseconds{deadline_ms};
    std::string streams_to;
    reading.read("streams_to", streams_to);
    made.streams_to = channel_id{std::move(streams_to)};
    std::string shown_to = made.tool_calls_visible_to.text();
    reading.read("tool_calls_visible_to", shown_to);
    if (auto parsed = visibility::parse(shown_to)) {
        made.tool_calls_visible_to = *std::move(parsed);
    } else {
        reading.refuse("tool_calls_visible_to", boundary_reason::unknown_value);
    }
    const boost::json::value* temperature = from->if_contains("temperature");
    if (temperature != nullptr && temperature->is_number()) {
        made.temperature = temperature->to_number<double>();
    }
    const boost::json::value* streams = from->if_contains("streams");
    if (streams != nullptr && streams->is_bool()) {
        made.form = streams->get_bool() ? answer_form::streamed : answer_form::whole;
    }
    if (reading.fault()) {
        return *reading.fault();
    }
    return made;
}

std::optional<json_text> agent_settings_in(const json_text& metadata) {
    const auto found = find_member(metadata.str(), agent_member);
    if (!found) {
        return std::nullopt;
    }
    return json_text::trusted(std::string{*found});
}

json_text without_agent_settings(const json_text& metadata) {
    json_writer out;
    out.begin_object();
    for (const json_member& one : members_of(metadata.str())) {
        if (one.key != agent_member) {
            out.key(decode_string('"' + std::string{one.key} + '"').value_or(std::string{}));
            out.json(json_text::trusted(std::string{one.value}));
        }
    }
    out.end_object();
    return out.take();
}

json_text with_agent_settings(const json_text& metadata, const json_text& settings) {
    const json_text owned = without_agent_settings(metadata);
    json_writer out;
    out.begin_object();
    out.key(agent_member).json(settings);
    for (const json_member& one : members_of(owned.str())) {
        out.key(decode_string('"' + std::string{one.key} + '"').value_or(std::string{}));
        out.json(json_text::trusted(std::string{one.value}));
    }
    out.end_object();
    return out.take();
}

result<std::shared_ptr<channel>> make_registered_agent(
    const registered_channel& stored,
    const std::string& api_key,
    room_kit* kit,
    const model_factory& models,
    driver_lookup leave_to_driver
) {
    const auto settings = agent_settings_in(stored.metadata);
    if (!settings) {
        return errc::corrupt_data;
    }
    const auto read = read_registered_agent(*settings, agent_member);
    if (!read) {
        return errc::corrupt_data;
    }
    // A script is all that its model is told.
    const bool is_scripted = read->provider == "scripted";
    auto model = models(
        {read->provider,
         read->model,
         read->base_url,
         api_key,
         is_scripted ? read->instructions : std::string{}}
    );
    if (!model) {
        return model.error();
    }
    model_agent_settings with;
    with.id = stored.id;
    with.organization = stored.organization;
    with.model = read->model;
    with.instructions = read->instructions;
    with.max_output_tokens = static_cast<std::int32_t>(read->max_output_tokens);
    with.temperature = read->temperature;
    with.deadline = read->deadline;
    with.limits.rounds = static_cast<std::int32_t>(read->max_rounds);
    with.limits.calls_per_round = static_cast<std::size_t>(read->max_calls_per_round);
    with.window.tokens = read->history_tokens;
    with.writing.form = read->form;
    with.writing.calls_shown_to = read->tool_calls_visible_to;
    with.room_tools = read->tools;
    with.requires_approval = read->requires_approval;
    with.approvers = read->approvers;
    with.streams_to = read->streams_to;
    with.is_enabled = stored.is_enabled;
    model_agent::parts parts;
    parts.kit = kit;
    parts.model = *std::move(model);
    parts.leave_to_driver = std::move(leave_to_driver);
    return std::make_shared<model_agent>(std::move(with), std::move(parts));
}

}  // namespace convene
