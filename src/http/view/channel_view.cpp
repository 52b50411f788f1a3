// SPDX-License-Identifier: Apache-2.0
// Showing registered channels and subscriptions.
#include "http/view/channel_view.hpp"

#include <optional>
#include <string_view>

#include "agent/registered_agent.hpp"
#include "http/view/binding_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

std::string_view word_of(room_kit::breaker_state state) noexcept {
    switch (state) {
        case room_kit::breaker_state::closed:
            return "closed";
        case room_kit::breaker_state::open:
            return "open";
        case room_kit::breaker_state::probing:
            return "probing";
    }
    return {};
}

std::vector<schema_field> channel_fields() {
    return {
        required("id", schema::id(), "Bindings name it, and so does the URL of incoming webhooks"),
        required("type", schema::text(), "`agent` or `webhook`"),
        required("name", schema::text()),
        required("url", schema::text(), "Where events go; empty for an agent"),
        required(
            "agent", schema::any_object().or_null(), "The settings of an agent, without its key"
        ),
        required("has_api_key", schema::boolean(), "Whether an agent has a key for its provider"),
        required("retry", retry_schema().or_null(), "Of bindings that have none"),
        required("rate_limit", rate_limit_schema().or_null(), "Of such bindings together"),
        required("attempt_deadline_ms", schema::integer({1})),
        required("is_enabled", schema::boolean()),
        required("disabled_reason", schema::text(), "A stable word; empty while it is enabled"),
        required(
            "previous_secret_until", schema::time().or_null(), "While the secret before is good too"
        ),
        required("metadata", schema::any_object()),
        required("created_at", schema::time()),
        required("updated_at", schema::time()),
    };
}

/// Until when two secrets are good; `null` where there never were two.
void write_overlap(json_writer& out, const sealed_secrets& secrets) {
    const bool has_two = !secrets.previous.empty();
    write_time(
        out.key("previous_secret_until"),
        has_two ? std::optional{secrets.previous_until} : std::nullopt
    );
}

void write_fields(json_writer& out, const registered_channel& shown) {
    out.key("id").string(shown.id.str());
    out.key("type").string(shown.type);
    out.key("name").string(shown.name);
    out.key("url").string(shown.url);
    const bool is_agent = shown.type == model_agent_type;
    const auto settings = is_agent ? agent_settings_in(shown.metadata) : std::nullopt;
    out.key("agent");
    if (settings) {
        out.json(*settings);
    } else {
        out.null();
    }
    out.key("has_api_key").boolean(is_agent && !shown.secrets.current.empty());
    write_retry(out.key("retry"), shown.retry);
    write_rate_limit(out.key("rate_limit"), shown.limit);
    out.key("attempt_deadline_ms").integer(shown.attempt_deadline.count());
    out.key("is_enabled").boolean(shown.is_enabled);
    out.key("disabled_reason").string(shown.disabled_reason);
    write_overlap(out, shown.secrets);
    out.key("metadata").json(is_agent ? without_agent_settings(shown.metadata) : shown.metadata);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
}

}  // namespace

const schema& registered_channel_schema() {
    static const schema made = schema::object("RegisteredChannel", channel_fields());
    return made;
}

const schema& channel_detail_schema() {
    static const schema destination = schema::object(
        "ChannelDestination",
        {required("address", schema::text(), "Empty: the channel itself"),
         required("breaker", schema::word("BreakerState", {"closed", "open", "probing"})),
         required("waiting", schema::integer({0}), "Deliveries in the outbound queue")}
    );
    static const schema made = extended(
        registered_channel_schema(),
        "RegisteredChannelDetail",
        {required(
            "destinations",
            schema::list(destination),
            "Where something is wrong or waits, as the worker that answers knows it; the first 100"
        )}
    );
    return made;
}

const schema& webhook_subscription_schema() {
    static const schema made = schema::object(
        "WebhookSubscription",
        {required("id", schema::id()),
         required("url", schema::text()),
         required("event_types", schema::list(schema::text()), "Empty: all"),
         required("is_enabled", schema::boolean()),
         required("disabled_reason", schema::text(), "A stable word; empty while it is enabled"),
         required("position", schema::integer({0}), "The last sequence that was told"),
         required("failing_since", schema::time().or_null()),
         required("last_error", schema::text(), "A stable word; empty after a success"),
         required(
             "previous_secret_until",
             schema::time().or_null(),
             "While the secret before is good too"
         ),
         required("created_at", schema::time()),
         required("updated_at", schema::time())}
    );
    return made;
}

void write_registered_channel(json_writer& out, const registered_channel& shown) {
    out.begin_object();
    write_fields(out, shown);
    out.end_object();
}

json_text channel_as_json(const registered_channel& shown) {
    json_writer out;
    write_registered_channel(out, shown);
    return out.take();
}

json_text channel_detail_as_json(
    const registered_channel& shown, const std::vector<room_kit::destination_figures>& destinations
) {
    json_writer out;
    out.begin_object();
    write_fields(out, shown);
    out.key("destinations").begin_array();
    for (const room_kit::destination_figures& one : destinations) {
        out.begin_object();
        out.key("address").string(one.address);
        out.key("breaker").string(word_of(one.breaker));
        out.key("waiting").integer(one.waiting);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

void write_webhook_subscription(json_writer& out, const webhook_subscription& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("url").string(shown.url);
    out.key("event_types").begin_array();
    for (const std::string& type : shown.event_types) {
        out.string(type);
    }
    out.end_array();
    out.key("is_enabled").boolean(shown.is_enabled);
    out.key("disabled_reason").string(shown.disabled_reason);
    out.key("position").integer(shown.position);
    write_time(out.key("failing_since"), shown.failing_since);
    out.key("last_error").string(shown.last_error);
    write_overlap(out, shown.secrets);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
    out.end_object();
}

json_text subscription_as_json(const webhook_subscription& shown) {
    json_writer out;
    write_webhook_subscription(out, shown);
    return out.take();
}

}  // namespace convene
