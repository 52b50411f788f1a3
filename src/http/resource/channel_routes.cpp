// SPDX-License-Identifier: Apache-2.0
// Registered channels over HTTP.
#include <algorithm>
#include <string>
#include <utility>

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

schema new_channel_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(required("type", schema::word("ChannelType", {"webhook"})));
    fields.push_back(required("url", schema::text({1, max_webhook_url_bytes}), "Where events go"));
    fields.push_back(secret_field());
    return schema::input("NewChannel", std::move(fields));
}

schema channel_patch_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(optional("url", schema::text({1, max_webhook_url_bytes}), "Where events go"));
    return schema::input("ChannelPatch", std::move(fields));
}

schema made_channel_schema() {
    return schema::object(
        "MadeChannel",
        {required("channel", registered_channel_schema()),
         required("secret", schema::text(), "Shown once")}
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

/// Puts what the body names into a channel; the rest stays.
void apply_to(registered_channel& changed, const read_object& body) {
    changed.name = body.text("name").value_or(changed.name);
    changed.url = body.text("url").value_or(changed.url);
    apply_retry(&changed.retry, body);
    apply_rate_limit(&changed.limit, body);
    changed.attempt_deadline = milliseconds{
        body.integer("attempt_deadline_ms").value_or(changed.attempt_deadline.count())
    };
    changed.metadata = body.json("metadata").value_or(changed.metadata);
    if (const auto is_enabled = body.boolean("is_enabled")) {
        changed.is_enabled = *is_enabled;
        changed.disabled_reason = *is_enabled ? "" : "operator";
    }
}

problem problem_of_channel(error_code code) {
    return problem_of_change(code, "the organisation has 500 channels: remove one");
}

http_response show_made(const made_channel& made, int status) {
    json_writer out;
    out.begin_object();
    write_registered_channel(out.key("channel"), made.channel);
    out.key("secret").string(made.secret);
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

awaitable<or_problem<made_with_secret>> make_channel(
    integration_route_parts parts, route_call call
) {
    const or_problem<> usable = check_url(*call.body);
    if (!usable) {
        co_return usable.error();
    }
    or_problem<std::optional<webhook_secret>> secret = read_secret(*call.body);
    if (!secret) {
        co_return secret.error();
    }
    registered_channel wanted;
    wanted.organization = call.who.organization;
    wanted.type = *call.body->text("type");
    apply_to(wanted, *call.body);
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
    const or_problem<> usable = check_url(*call.body);
    if (!usable) {
        co_return usable.error();
    }
    channel_id id{call.at("channel_id")};
    auto apply = [body = *call.body](registered_channel& changed) { apply_to(changed, body); };
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
