// SPDX-License-Identifier: Apache-2.0
// Bodies of calls to remote hooks, and their answers.
#include "hook/hook_body.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/canonical_json.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

// -- the question ----------------------------------------------------------------------------------------

std::string_view type_of(hook_mode mode) {
    switch (mode) {
        case hook_mode::remote:
            return "hook.before_commit";
        case hook_mode::serial:
            return "hook.serial";
        case hook_mode::after_delivery:
            return "hook.after_delivery";
    }
    return {};
}

void write_room(json_writer& out, const room& seen) {
    out.begin_object();
    out.key("id").string(seen.id.str());
    out.key("external_id").string(seen.external_id);
    out.key("status").string(word_of(seen.status));
    out.key("metadata").json(seen.metadata);
    out.end_object();
}

void write_source(json_writer& out, const event_source& source) {
    out.begin_object();
    out.key("channel_id").string(source.channel.str());
    out.key("channel_type").string(source.channel_type);
    out.key("participant_id").string(source.participant.str());
    out.key("external_id").string(source.external_id);
    out.key("provider_message_id").string(source.provider_message_id);
    out.end_object();
}

void write_addressees(json_writer& out, const std::optional<std::vector<channel_id>>& channels) {
    if (!channels) {
        out.null();
        return;
    }
    out.begin_array();
    for (const channel_id& channel : *channels) {
        out.string(channel.str());
    }
    out.end_array();
}

void write_event(json_writer& out, const room_event& seen) {
    out.begin_object();
    out.key("id").string(seen.id.str());
    out.key("room_id").string(seen.room.str());
    out.key("index").integer(seen.index.value());
    out.key("type").string(word_of(seen.type));
    out.key("content").json(seen.content.json());
    out.key("text").string(readable_text(seen.content));
    write_source(out.key("source"), seen.source);
    out.key("parent_event_id").string(seen.parent.str());
    out.key("caused_by").string(seen.caused_by.str());
    out.key("correlation_id").string(seen.correlation_id);
    out.key("chain_depth").integer(seen.chain_depth);
    out.key("visibility").string(seen.visibility.text());
    write_addressees(out.key("addressed_to"), seen.addressed_to);
    out.key("metadata").json(seen.metadata);
    out.end_object();
}

// -- the answer ------------------------------------------------------------------------------------------

constexpr std::size_t max_items = 64;  ///< of one list; what a verdict may ask for is less

boundary_error fault(std::string field, boundary_reason reason) {
    return {std::move(field), reason};
}

std::string text_or_empty(const std::optional<std::string_view>& text) {
    return std::string{text.value_or(std::string_view{})};
}

/// An object inside an answer, with the paths of its fields.
struct answer_part {
    json_document document;
    std::string path;
};

checked<json_text> read_metadata(const answer_part& part) {
    const std::optional<std::string_view> text = part.document.member("metadata");
    if (!text) {
        return json_text{};
    }
    return parse_json_object(*text, part.path + "metadata");
}

checked<injected_event> read_injected(const answer_part& part) {
    const auto fields = part.document.object();
    if (!fields) {
        return fields.error();
    }
    if (const auto ok = fields->only({"content", "type", "targets", "visibility", "metadata"});
        !ok) {
        return ok.error();
    }
    injected_event wanted;
    const std::optional<std::string_view> said = part.document.member("content");
    if (!said) {
        return fault(part.path + "content", boundary_reason::missing_field);
    }
    checked<content> parsed = parse_content(*said, part.path + "content");
    if (!parsed) {
        return parsed.error();
    }
    wanted.content = *std::move(parsed);

    const auto type = fields->optional_text("type");
    if (!type) {
        return type.error();
    }
    if (*type) {
        const std::optional<event_type> known = event_type_from(**type);
        if (!known) {
            return fault(part.path + "type", boundary_reason::unknown_value);
        }
        wanted.type = *known;
    }
    const auto seen_by = fields->optional_text("visibility");
    if (!seen_by) {
        return seen_by.error();
    }
    if (*seen_by) {
        const result<visibility> known = visibility::parse(**seen_by);
        if (!known) {
            return fault(part.path + "visibility", boundary_reason::malformed);
        }
        wanted.visibility = *known;
    }
    if (const std::optional<std::string_view> targets = part.document.member("targets")) {
        for (const std::string_view target : elements_of(*targets)) {
            std::optional<std::string> id = decode_string(target);
            if (!id || !check_id(*id, part.path + "targets")) {
                return fault(part.path + "targets", boundary_reason::malformed);
            }
            wanted.targets.emplace_back(*std::move(id));
        }
    }
    checked<json_text> metadata = read_metadata(part);
    if (!metadata) {
        return metadata.error();
    }
    wanted.metadata = *std::move(metadata);
    return wanted;
}

checked<room_task> read_task(const answer_part& part) {
    const auto fields = part.document.object();
    if (!fields) {
        return fields.error();
    }
    if (const auto ok = fields->only({"title", "description", "assigned_to", "metadata"}); !ok) {
        return ok.error();
    }
    const auto title = fields->text("title");
    const auto description = fields->optional_text("description");
    const auto assigned_to = fields->optional_text("assigned_to");
    checked<json_text> metadata = read_metadata(part);
    if (!title) {
        return title.error();
    }
    if (!description) {
        return description.error();
    }
    if (!assigned_to) {
        return assigned_to.error();
    }
    if (!metadata) {
        return metadata.error();
    }
    room_task task;
    task.title = std::string{*title};
    task.description = text_or_empty(*description);
    task.assigned_to = text_or_empty(*assigned_to);
    task.metadata = *std::move(metadata);
    return task;
}

checked<observation> read_observation(const answer_part& part) {
    const auto fields = part.document.object();
    if (!fields) {
        return fields.error();
    }
    if (const auto ok = fields->only({"content", "category", "confidence", "metadata"}); !ok) {
        return ok.error();
    }
    const auto said = fields->text("content");
    const auto category = fields->optional_text("category");
    checked<json_text> metadata = read_metadata(part);
    if (!said) {
        return said.error();
    }
    if (!category) {
        return category.error();
    }
    if (!metadata) {
        return metadata.error();
    }
    observation seen;
    seen.content = std::string{*said};
    seen.category = text_or_empty(*category);
    seen.metadata = *std::move(metadata);
    const auto* const confidence = part.document.root().as_object().if_contains("confidence");
    if (confidence != nullptr) {
        const auto number = read_number(*confidence, part.path + "confidence", {0.0, 1.0});
        if (!number) {
            return number.error();
        }
        seen.confidence = *number;
    }
    return seen;
}

/// The elements of a list, each read by `read`.
template <class T>
checked<std::vector<T>> read_list(
    const json_document& answer, const std::string& name, checked<T> (*read)(const answer_part&)
) {
    std::vector<T> list;
    const std::optional<std::string_view> text = answer.member(name);
    if (!text) {
        return list;
    }
    if (!text->starts_with('[')) {
        return fault(name, boundary_reason::wrong_type);
    }
    for (const std::string_view element : elements_of(*text)) {
        const std::string path = name + '[' + std::to_string(list.size()) + ']';
        if (list.size() >= max_items) {
            return fault(name, boundary_reason::too_many);
        }
        auto document = json_document::parse(element, path);
        if (!document) {
            return document.error();
        }
        checked<T> one = read(answer_part{*std::move(document), path + '.'});
        if (!one) {
            return one.error();
        }
        list.push_back(*std::move(one));
    }
    return list;
}

std::optional<hook_verdict::action> action_of(std::string_view word) {
    if (word == "allow") {
        return hook_verdict::action::allow;
    }
    if (word == "block") {
        return hook_verdict::action::block;
    }
    if (word == "modify") {
        return hook_verdict::action::modify;
    }
    return std::nullopt;
}

checked<> read_changes(const json_document& answer, hook_verdict* verdict) {
    if (const std::optional<std::string_view> text = answer.member("content")) {
        checked<content> parsed = parse_content(*text, "content");
        if (!parsed) {
            return parsed.error();
        }
        verdict->new_content = *std::move(parsed);
    }
    if (const std::optional<std::string_view> text = answer.member("metadata")) {
        checked<json_text> parsed = parse_json_object(*text, "metadata");
        if (!parsed) {
            return parsed.error();
        }
        verdict->new_metadata = *std::move(parsed);
    }
    return {};
}

}  // namespace

json_text hook_body_of(const remote_hook_call& asked, wall_time now) {
    json_writer out;
    out.begin_object();
    out.key("type").string(type_of(asked.hook->mode));
    out.key("timestamp").string(format_rfc3339(now));
    out.key("data").begin_object();
    out.key("hook_id").string(asked.hook->id.str());
    out.key("attempt").integer(asked.attempt);
    write_room(out.key("room"), asked.input.context.room);
    write_event(out.key("event"), asked.input.event);
    out.end_object();
    out.end_object();
    return out.take();
}

checked<hook_verdict> parse_verdict(std::string_view text) {
    const boundary_limits limits{.max_json_bytes = max_verdict_bytes};
    const auto answer = json_document::parse(text, "verdict", limits);
    if (!answer) {
        return answer.error();
    }
    const auto fields = answer->object();
    if (!fields) {
        return fields.error();
    }
    const auto known = fields->only(
        {"action", "reason", "content", "metadata", "injected", "tasks", "observations"}
    );
    if (!known) {
        return known.error();
    }
    const auto word = fields->text("action");
    if (!word) {
        return word.error();
    }
    const std::optional<hook_verdict::action> action = action_of(*word);
    if (!action) {
        return fault("action", boundary_reason::unknown_value);
    }
    const auto reason = fields->optional_text("reason");
    if (!reason) {
        return reason.error();
    }

    hook_verdict verdict;
    verdict.what = *action;
    verdict.reason = text_or_empty(*reason);
    if (const auto changed = read_changes(*answer, &verdict); !changed) {
        return changed.error();
    }
    auto injected = read_list<injected_event>(*answer, "injected", read_injected);
    if (!injected) {
        return injected.error();
    }
    auto tasks = read_list<room_task>(*answer, "tasks", read_task);
    if (!tasks) {
        return tasks.error();
    }
    auto observations = read_list<observation>(*answer, "observations", read_observation);
    if (!observations) {
        return observations.error();
    }
    verdict.injected = *std::move(injected);
    verdict.tasks = *std::move(tasks);
    verdict.observations = *std::move(observations);
    return verdict;
}

}  // namespace convene
