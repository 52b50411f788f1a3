// SPDX-License-Identifier: Apache-2.0
// Webhook subscriptions to framework events over HTTP.
#include <string>
#include <utility>

#include "http/resource/integration_routes.hpp"
#include "http/shown_once.hpp"
#include "http/uri.hpp"
#include "http/view/channel_view.hpp"
#include "integration/webhook_url.hpp"

namespace convene {

namespace {

constexpr std::size_t most_event_types = 50;

schema_field event_types_field() {
    return optional(
        "event_types",
        schema::list(schema::text({1, 100}), most_event_types),
        "`delivery_skipped`, `event_blocked`, ...; empty: all"
    );
}

schema new_subscription_schema() {
    return schema::input(
        "NewWebhookSubscription",
        {required("url", schema::text({1, max_webhook_url_bytes}), "Where framework events go"),
         event_types_field(),
         secret_field()}
    );
}

schema subscription_patch_schema() {
    return schema::input(
        "WebhookSubscriptionPatch",
        {optional("url", schema::text({1, max_webhook_url_bytes})),
         event_types_field(),
         optional(
             "is_enabled",
             schema::boolean(),
             "True: goes on where it was, with no failures on record"
         )}
    );
}

schema made_subscription_schema() {
    return schema::object(
        "MadeWebhookSubscription",
        {required("subscription", webhook_subscription_schema()),
         required("secret", schema::text(), "Shown once")}
    );
}

schema subscription_list_schema() {
    return schema::object(
        "WebhookSubscriptionList",
        {required("webhook_subscriptions", schema::list(webhook_subscription_schema()))}
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

problem problem_of_subscription(error_code code) {
    return problem_of_change(code, "the organisation has 20 webhook subscriptions: remove one");
}

http_response show_made(const made_subscription& made, int status) {
    json_writer out;
    out.begin_object();
    write_webhook_subscription(out.key("subscription"), made.subscription);
    out.key("secret").string(made.secret);
    out.end_object();
    http_response answer = json_answer(status, out.take());
    if (status == 201) {
        answer.headers.set(
            "location",
            "/api/v1/webhook-subscriptions/" + percent_encode(made.subscription.id.str())
        );
    }
    return answer;
}

handled show(const result<webhook_subscription>& found) {
    if (!found) {
        return problem_of(found.error());
    }
    return json_answer(200, subscription_as_json(*found));
}

awaitable<handled> list_subscriptions(integration_route_parts parts, route_call call) {
    const auto found = co_await parts.subscriptions->list(call.who.organization);
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("webhook_subscriptions").begin_array();
    for (const webhook_subscription& one : *found) {
        write_webhook_subscription(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<or_problem<made_with_secret>> make_subscription(
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
    webhook_subscription wanted;
    wanted.organization = call.who.organization;
    wanted.url = *call.body->text("url");
    wanted.event_types = call.body->texts("event_types");
    const auto made = co_await parts.subscriptions->create(
        std::move(wanted), *std::move(secret), by_caller(call)
    );
    if (!made) {
        co_return problem_of_subscription(made.error());
    }
    co_return made_with_secret{made->subscription.id.str(), show_made(*made, 201)};
}

awaitable<handled> get_subscription(integration_route_parts parts, route_call call) {
    subscription_id id{call.at("subscription_id")};
    const auto found = co_await parts.subscriptions->get(call.who.organization, std::move(id));
    co_return show(found);
}

awaitable<handled> update_subscription(integration_route_parts parts, route_call call) {
    const or_problem<> usable = check_url(*call.body);
    if (!usable) {
        co_return usable.error();
    }
    subscription_id id{call.at("subscription_id")};
    auto apply = [body = *call.body](webhook_subscription& changed) {
        changed.url = body.text("url").value_or(changed.url);
        if (body.has("event_types")) {
            changed.event_types = body.texts("event_types");
        }
        if (const auto is_enabled = body.boolean("is_enabled")) {
            changed.is_enabled = *is_enabled;
            changed.disabled_reason = *is_enabled ? "" : "operator";
        }
    };
    const auto changed = co_await parts.subscriptions->change(
        std::move(id), std::move(apply), by_caller(call)
    );
    co_return show(changed);
}

awaitable<handled> rotate_secret(integration_route_parts parts, route_call call) {
    or_problem<std::optional<webhook_secret>> secret = read_secret(*call.body);
    if (!secret) {
        co_return secret.error();
    }
    subscription_id id{call.at("subscription_id")};
    const seconds overlap = read_overlap(*call.body);
    const auto made = co_await parts.subscriptions->rotate_secret(
        std::move(id), *std::move(secret), overlap, by_caller(call)
    );
    if (!made) {
        co_return problem_of_subscription(made.error());
    }
    co_return show_made(*made, 200);
}

awaitable<handled> remove_subscription(integration_route_parts parts, route_call call) {
    subscription_id id{call.at("subscription_id")};
    const result<> removed = co_await parts.subscriptions->remove(std::move(id), by_caller(call));
    if (!removed) {
        co_return problem_of(removed.error());
    }
    co_return no_content();
}

route subscription_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/webhook-subscriptions" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "webhooks";
    made.who = permission::admin;
    return made;
}

}  // namespace

std::vector<route> subscription_routes(integration_route_parts parts) {
    std::vector<route> routes;

    route listing = subscription_route(
        http_method::get, "", "list_webhook_subscriptions", "Who is told of framework events"
    );
    listing.who = permission::operator_;
    listing.answers = {{200, "By id", subscription_list_schema()}};
    listing.handle = on(parts, list_subscriptions);
    routes.push_back(std::move(listing));

    route creating = subscription_route(
        http_method::post,
        "",
        "create_webhook_subscription",
        "Tells a URL of framework events from now on"
    );
    creating.body = new_subscription_schema();
    creating.answers = {
        {201, "The subscription and its secret: this once", made_subscription_schema()}
    };
    creating.key = key_rule::honoured;
    creating.handle = once_for_each_key(
        &parts.kit->store(),
        "rotate its secret",
        [parts](route_call call) { return make_subscription(parts, std::move(call)); }
    );
    routes.push_back(std::move(creating));

    route getting = subscription_route(
        http_method::get,
        "/{subscription_id}",
        "get_webhook_subscription",
        "A subscription and how far it is"
    );
    getting.who = permission::operator_;
    getting.answers = {{200, "The subscription", webhook_subscription_schema()}};
    getting.handle = on(parts, get_subscription);
    routes.push_back(std::move(getting));

    route changing = subscription_route(
        http_method::patch,
        "/{subscription_id}",
        "update_webhook_subscription",
        "Changes what is named"
    );
    changing.body = subscription_patch_schema();
    changing.answers = {{200, "The subscription", webhook_subscription_schema()}};
    changing.handle = on(parts, update_subscription);
    routes.push_back(std::move(changing));

    route rotating = subscription_route(
        http_method::post,
        "/{subscription_id}/rotate-secret",
        "rotate_webhook_subscription_secret",
        "Puts another secret in place; both sign for a while"
    );
    rotating.body = secret_rotation_schema();
    rotating.body_presence = presence::optional;
    rotating.answers = {
        {200, "The subscription and its secret: this once", made_subscription_schema()}
    };
    rotating.handle = on(parts, rotate_secret);
    routes.push_back(std::move(rotating));

    route removing = subscription_route(
        http_method::delete_,
        "/{subscription_id}",
        "remove_webhook_subscription",
        "Nobody is told there any more"
    );
    removing.answers = {{204, "Gone", std::nullopt}};
    removing.handle = on(parts, remove_subscription);
    routes.push_back(std::move(removing));
    return routes;
}

}  // namespace convene
