// SPDX-License-Identifier: Apache-2.0
// Reading bindings and participants.
#include "http/resource/bodies.hpp"

#include <utility>

#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "http/view/binding_view.hpp"
#include "http/view/participant_view.hpp"

namespace convene {

namespace {

std::vector<schema_field> binding_fields() {
    return {
        optional("access", access_schema()),
        optional("is_muted", schema::boolean()),
        optional("visibility", schema::text({1, 4096}), "`all`, `none`, ..., or channel ids"),
        optional("participant_id", schema::id().or_null(), "Whose channel it is; `null`: nobody's"),
        optional("address", schema::text({0, 1024}), "Where deliveries go"),
        optional("retry", retry_schema().or_null()),
        optional("rate_limit", rate_limit_schema().or_null()),
        optional("metadata", schema::any_object()),
    };
}

std::vector<schema_field> participant_fields() {
    return {
        optional("display_name", schema::text({0, 256})),
        optional("role", participant_role_schema()),
        optional("status", participant_status_schema()),
        optional("identity_id", schema::id().or_null(), "The person behind it"),
        optional("external_id", schema::text({0, 256})),
        optional("metadata", schema::any_object()),
    };
}

}  // namespace

void apply_retry(std::optional<retry_policy>* changed, const read_object& body) {
    if (const auto sent = body.object("retry")) {
        retry_policy& retry = changed->emplace();
        retry.max_retries = static_cast<std::int32_t>(
            sent->integer("max_retries").value_or(retry.max_retries)
        );
        retry.base_delay = milliseconds{
            sent->integer("base_delay_ms").value_or(retry.base_delay.count())
        };
        retry.max_delay = milliseconds{
            sent->integer("max_delay_ms").value_or(retry.max_delay.count())
        };
        retry.factor = sent->number("factor").value_or(retry.factor);
    } else if (body.is_null("retry")) {
        changed->reset();
    }
}

void apply_rate_limit(std::optional<rate_limit>* changed, const read_object& body) {
    if (const auto sent = body.object("rate_limit")) {
        *changed = rate_limit{
            sent->number("per_second"), sent->number("per_minute"), sent->number("per_hour")
        };
    } else if (body.is_null("rate_limit")) {
        changed->reset();
    }
}

const schema& new_binding_schema() {
    static const schema made = [] {
        std::vector<schema_field> fields = binding_fields();
        fields.insert(fields.begin(), required("channel_id", schema::id(), "A registered channel"));
        return schema::input("NewBinding", std::move(fields));
    }();
    return made;
}

const schema& binding_patch_schema() {
    static const schema made = schema::input("BindingPatch", binding_fields());
    return made;
}

const schema& new_participant_schema() {
    static const schema made = [] {
        std::vector<schema_field> fields = participant_fields();
        fields.insert(fields.begin(), optional("id", schema::id(), "A user's id; left out: made"));
        return schema::input("NewParticipant", std::move(fields));
    }();
    return made;
}

const schema& participant_patch_schema() {
    static const schema made = schema::input("ParticipantPatch", participant_fields());
    return made;
}

merge_patch split_merge_patch(const json_text& patch) {
    merge_patch split;
    json_writer set;
    set.begin_object();
    for (const json_member& member : members_of(patch.str())) {
        std::string key = decode_string('"' + std::string{member.key} + '"').value_or("");
        if (member.value == "null") {
            split.unset.push_back(std::move(key));
        } else {
            set.key(key).json(json_text::trusted(std::string{member.value}));
        }
    }
    set.end_object();
    split.set = set.take();
    return split;
}

or_problem<visibility> read_visibility(const std::string& text, std::string field) {
    const result<visibility> parsed = visibility::parse(text);
    if (!parsed) {
        return validation_problem(std::move(field), boundary_reason::malformed);
    }
    for (const channel_id& channel : parsed->channels()) {
        if (const checked<> id = check_id(channel.str(), field); !id) {
            return problem_of(id.error());
        }
    }
    return *parsed;
}

or_problem<> apply_to(binding* changed, const read_object& body, std::string path) {
    if (const auto access = body.text("access")) {
        changed->access = access_from(*access).value_or(changed->access);
    }
    changed->is_muted = body.boolean("is_muted").value_or(changed->is_muted);
    if (const auto text = body.text("visibility")) {
        const or_problem<visibility> seen = read_visibility(*text, member_path(path, "visibility"));
        if (!seen) {
            return seen.error();
        }
        changed->visibility = *seen;
    }
    if (auto whose = body.text("participant_id")) {
        changed->participant = participant_id{*std::move(whose)};
    } else if (body.is_null("participant_id")) {
        changed->participant = {};
    }
    changed->address = body.text("address").value_or(changed->address);
    apply_retry(&changed->retry, body);
    apply_rate_limit(&changed->limit, body);
    changed->metadata = body.json("metadata").value_or(changed->metadata);
    return {};
}

void apply_to(participant* changed, const read_object& body) {
    changed->display_name = body.text("display_name").value_or(changed->display_name);
    if (const auto role = body.text("role")) {
        changed->role = participant_role_from(*role).value_or(changed->role);
    }
    if (const auto status = body.text("status")) {
        changed->status = participant_status_from(*status).value_or(changed->status);
    }
    if (auto person = body.text("identity_id")) {
        changed->identity = identity_id{*std::move(person)};
    } else if (body.is_null("identity_id")) {
        changed->identity = {};
    }
    changed->external_id = body.text("external_id").value_or(changed->external_id);
    changed->metadata = body.json("metadata").value_or(changed->metadata);
}

}  // namespace convene
