// SPDX-License-Identifier: Apache-2.0
// Registered channels over HTTP.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "agent/registered_agent.hpp"
#include "http/resource/agent_body.hpp"
#include "http/resource/bodies.hpp"
#include "http/resource/integration_routes.hpp"
#include "http/shown_once.hpp"
#include "http/uri.hpp"
#include "http/view/binding_view.hpp"
#include "http/view/channel_view.hpp"
#include "integration/webhook_url.hpp"

namespace convene {

namespace {

constexpr std::size_t most_destinations = 100;
constexpr std::int64_t longest_attempt_ms = 30'000;
constexpr std::size_t longest_api_key = 500;

std::vector<schema_field> changeable_fields() {
    return {
        optional("name", schema::text({0, 200})),
        optional("retry", retry_schema().or_null(), "Of bindings that have none"),
        optional("rate_limit", rate_limit_schema().or_null(), "Of such bindings together"),
        optional(
            "attempt_deadline_ms",
            schema::integer({100, longest_attempt_ms}),
            "How long one attempt may take; left out: 5000"
        ),
        optional("is_enabled", schema::boolean(), "False: deliveries fail, messages are refused"),
        optional("metadata", schema::any_object(), "Replaces what was there"),
    };
}

/// Fields of agents; a webhook has none of them.
void add_agent_fields(std::vector<schema_field>& fields) {
    fields.push_back(
        optional("agent", agent_settings_input(), "Of an agent: all of its settings at once")
    );
    fields.push_back(optional(
        "api_key",
        schema::text({0, longest_api_key}),
        "Of an agent's provider: never shown; empty takes it away"
    ));
}

schema new_channel_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(required("type", schema::word("ChannelType", {"agent", "webhook"})));
    fields.push_back(optional(
        "url", schema::text({1, max_webhook_url_bytes}), "Where events go; a webhook has one"
    ));
    fields.push_back(secret_field());
    add_agent_fields(fields);
    return schema::input("NewChannel", std::move(fields));
}

schema channel_patch_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(optional("url", schema::text({1, max_webhook_url_bytes}), "Where events go"));
    add_agent_fields(fields);
    return schema::input("ChannelPatch", std::move(fields));
}

schema made_channel_schema() {
    return schema::object(
        "MadeChannel",
        {required("channel", registered_channel_schema()),
         required("secret", schema::text().or_null(), "Shown once; an agent has none")}
    );
}

schema channel_list_schema() {
    return schema::object(
        "RegisteredChannelList", {required("channels", schema::list(registered_channel_schema()))}
    );
}

or_problem<> check_url(const read_object& body) {
    const std::optional<std::string> url = body.text("url");
    const checked<> usable = url ? check_webhook_url(*url, "url") : checked<>{};
    if (!usable) {
        return problem_of(usable.error());
    }
    return {};
}

or_problem<> refuse_fields(const read_object& body, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (body.has(name)) {
            return validation_problem(std::string{name}, boundary_reason::not_allowed_here);
        }
    }
    return {};
}

/// Whether the fields are such as a channel of this type has. `secret` is one of new channels only.
or_problem<> check_fields(const read_object& body, std::string_view type) {
    if (type != model_agent_type) {
        const or_problem<> fine = refuse_fields(body, {"agent", "api_key"});
        return fine ? check_url(body) : fine;
    }
    const auto metadata = body.json("metadata");
    if (metadata && agent_settings_in(*metadata)) {
        return validation_problem("metadata.agent", boundary_reason::not_allowed_here);
    }
    or_problem<> fine = refuse_fields(body, {"url", "retry", "rate_limit", "attempt_deadline_ms"});
    if (!fine) {
        return fine;
    }
    const std::optional<read_object> settings = body.object("agent");
    return settings ? check_agent_settings(*settings, "agent") : or_problem<>{};
}

/// What a channel can't do without.
or_problem<> check_needed(const read_object& body, std::string_view type) {
    const std::string_view needed = type == model_agent_type ? agent_member : "url";
    if (!body.has(needed)) {
        return validation_problem(std::string{needed}, boundary_reason::missing_field);
    }
    return {};
}

/// Replaces the owner's part of an agent's metadata, or its settings, or both.
void apply_agent(registered_channel& changed, const read_object& body) {
    const json_text before = agent_settings_in(changed.metadata).value_or(json_text{});
    const std::optional<read_object> settings = body.object("agent");
    changed.metadata = with_agent_settings(
        body.json("metadata").value_or(changed.metadata),
        settings ? as_json(agent_settings_of(*settings)) : before
    );
}

/// Puts what the body names into a channel; the rest stays.
void apply_to(registered_channel& changed, const read_object& body) {
    changed.name = body.text("name").value_or(changed.name);
    changed.url = body.text("url").value_or(changed.url);
    apply_retry(&changed.retry, body);
    apply_rate_limit(&changed.limit, body);
    changed.attempt_deadline = milliseconds{
        body.integer("attempt_deadline_ms").value_or(changed.attempt_deadline.count())
    };
    if (changed.type == model_agent_type) {
        apply_agent(changed, body);
    } else {
        changed.metadata = body.json("metadata").value_or(changed.metadata);
    }
    if (const auto is_enabled = body.boolean("is_enabled")) {
        changed.is_enabled = *is_enabled;
        changed.disabled_reason = *is_enabled ? "" : "operator";
    }
}

problem problem_of_channel(error_code code) {
    return problem_of_change(code, "the organisation has 500 channels: remove one");
}

/// `made.secret`: empty for a channel without one.
http_response show_made(const made_channel& made, int status) {
    json_writer out;
    out.begin_object();
    write_registered_channel(out.key("channel"), made.channel);
    out.key("secret");
    if (made.secret.empty()) {
        out.null();
    } else {
        out.string(made.secret);
    }
    out.end_object();
    http_response answer = json_answer(status, out.take());
    if (status == 201) {
        answer.headers.set("location", "/api/v1/channels/" + percent_encode(made.channel.id.str()));
    }
    return answer;
}

awaitable<handled> list_channels(integration_route_parts parts, route_call call) {
    const auto found = co_await parts.channels->list(call.who.organization);
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("channels").begin_array();
    for (const registered_channel& one : *found) {
        write_registered_channel(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

/// An agent's key is its provider's: there is nothing to show.
awaitable<or_problem<made_with_secret>> make_agent(
    integration_route_parts parts, registered_channel wanted, route_call call
) {
    const or_problem<> fitting = refuse_fields(*call.body, {"secret"});
    if (!fitting) {
        co_return fitting.error();
    }
    std::string key = call.body->text("api_key").value_or(std::string{});
    auto made = co_await parts.channels->create_keyed(
        std::move(wanted), std::move(key), by_caller(call)
    );
    if (!made) {
        co_return problem_of_channel(made.error());
    }
    const made_channel shown{*std::move(made), {}};
    co_return made_with_secret{shown.channel.id.str(), show_made(shown, 201)};
}

awaitable<or_problem<made_with_secret>> make_channel(
    integration_route_parts parts, route_call call
) {
    registered_channel wanted;
    wanted.organization = call.who.organization;
    wanted.type = *call.body->text("type");
    for (const auto check : {check_fields, check_needed}) {
        const or_problem<> fine = check(*call.body, wanted.type);
        if (!fine) {
            co_return fine.error();
        }
    }
    apply_to(wanted, *call.body);
    if (wanted.type == model_agent_type) {
        auto made = make_agent(parts, std::move(wanted), std::move(call));
        co_return co_await std::move(made);
    }
    or_problem<std::optional<webhook_secret>> secret = read_secret(*call.body);
    if (!secret) {
        co_return secret.error();
    }
    const auto made = co_await parts.channels->create(
        std::move(wanted), *std::move(secret), by_caller(call)
    );
    if (!made) {
        co_return problem_of_channel(made.error());
    }
    co_return made_with_secret{made->channel.id.str(), show_made(*made, 201)};
}

awaitable<handled> get_channel(integration_route_parts parts, route_call call) {
    channel_id id{call.at("channel_id")};
    const auto found = co_await parts.channels->get(call.who.organization, id);
    if (!found) {
        co_return problem_of(found.error());
    }
    std::vector<room_kit::destination_figures> destinations = parts.kit->destinations();
    std::erase_if(destinations, [&id](const room_kit::destination_figures& one) {
        return one.channel != id;
    });
    destinations.resize(std::min(destinations.size(), most_destinations));
    co_return json_answer(200, channel_detail_as_json(*found, destinations));
}

awaitable<handled> update_channel(integration_route_parts parts, route_call call) {
    channel_id id{call.at("channel_id")};
    const auto known = co_await parts.channels->get(call.who.organization, id);
    if (!known) {
        co_return problem_of(known.error());
    }
    // The type never changes.
    const or_problem<> fine = check_fields(*call.body, known->type);
    if (!fine) {
        co_return fine.error();
    }
    auto apply = [body = *call.body, channels = parts.channels](registered_channel& changed) {
        apply_to(changed, body);
        if (const auto key = body.text("api_key")) {
            channels->put_key(&changed, *key);
        }
    };
    const auto changed = co_await parts.channels->change(
        std::move(id), std::move(apply), by_caller(call)
    );
    if (!changed) {
        co_return problem_of(changed.error());
    }
    co_return json_answer(200, channel_as_json(*changed));
}

awaitable<handled> rotate_secret(integration_route_parts parts, route_call call) {
    or_problem<std::optional<webhook_secret>> secret = read_secret(*call.body);
    if (!secret) {
        co_return secret.error();
    }
    channel_id id{call.at("channel_id")};
    const auto known = co_await parts.channels->get(call.who.organization, id);
    if (!known) {
        co_return problem_of(known.error());
    }
    if (known->type == model_agent_type) {
        co_return conflict_problem(
            "NO_SECRET", "an agent has a key instead: change it with PATCH and `api_key`"
        );
    }
    const seconds overlap = read_overlap(*call.body);
    const auto made = co_await parts.channels->rotate_secret(
        std::move(id), *std::move(secret), overlap, by_caller(call)
    );
    if (!made) {
        co_return problem_of_channel(made.error());
    }
    co_return show_made(*made, 200);
}

awaitable<handled> remove_channel(integration_route_parts parts, route_call call) {
    channel_id id{call.at("channel_id")};
    const result<> removed = co_await parts.channels->remove(std::move(id), by_caller(call));
    if (!removed) {
        co_return problem_of(removed.error());
    }
    co_return no_content();
}

route channel_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/channels" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "channels";
    made.who = permission::admin;
    return made;
}

}  // namespace

std::vector<route> channel_routes(integration_route_parts parts) {
    std::vector<route> routes;

    route listing = channel_route(
        http_method::get, "", "list_registered_channels", "Channels that rooms can use"
    );
    listing.who = permission::operator_;
    listing.answers = {{200, "By id", channel_list_schema()}};
    listing.handle = on(parts, list_channels);
    routes.push_back(std::move(listing));

    route registering = channel_route(
        http_method::post, "", "register_channel", "Registers a channel"
    );
    registering.body = new_channel_schema();
    registering.answers = {{201, "The channel and its secret: this once", made_channel_schema()}};
    registering.key = key_rule::honoured;
    registering.handle = once_for_each_key(
        &parts.kit->store(),
        "rotate its secret",
        [parts](route_call call) { return make_channel(parts, std::move(call)); }
    );
    routes.push_back(std::move(registering));

    route getting = channel_route(
        http_method::get, "/{channel_id}", "get_registered_channel", "A channel and how it fares"
    );
    getting.who = permission::operator_;
    getting.answers = {{200, "The channel", channel_detail_schema()}};
    getting.handle = on(parts, get_channel);
    routes.push_back(std::move(getting));

    route changing = channel_route(
        http_method::patch, "/{channel_id}", "update_registered_channel", "Changes what is named"
    );
    changing.body = channel_patch_schema();
    changing.answers = {{200, "The channel", registered_channel_schema()}};
    changing.handle = on(parts, update_channel);
    routes.push_back(std::move(changing));

    route rotating = channel_route(
        http_method::post,
        "/{channel_id}/rotate-secret",
        "rotate_channel_secret",
        "Puts another secret in place; the one before stays good for a while"
    );
    rotating.body = secret_rotation_schema();
    rotating.body_presence = presence::optional;
    rotating.answers = {{200, "The channel and its secret: this once", made_channel_schema()}};
    rotating.handle = on(parts, rotate_secret);
    routes.push_back(std::move(rotating));

    route removing = channel_route(
        http_method::delete_, "/{channel_id}", "remove_registered_channel", "Removes a channel"
    );
    removing.answers = {{204, "Gone; what is sent to its bindings fails", std::nullopt}};
    removing.handle = on(parts, remove_channel);
    routes.push_back(std::move(removing));
    return routes;
}

}  // namespace convene
