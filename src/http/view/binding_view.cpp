// SPDX-License-Identifier: Apache-2.0
// Showing bindings.
#include "http/view/binding_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& access_schema() {
    static const schema made = words_of("Access", access::read_write);
    return made;
}

const schema& retry_schema() {
    static const schema made = schema::object(
        "RetryPolicy",
        {optional("max_retries", schema::integer({0, 100})),
         optional("base_delay_ms", schema::integer({1, 86'400'000})),
         optional("max_delay_ms", schema::integer({1, 86'400'000})),
         optional("factor", schema::number(1, 100))}
    );
    return made;
}

const schema& rate_limit_schema() {
    static const schema rate = schema::number(0.000'001, 1'000'000).or_null();
    static const schema made = schema::object(
        "RateLimit",
        {optional("per_second", rate), optional("per_minute", rate), optional("per_hour", rate)}
    );
    return made;
}

const schema& binding_schema() {
    static const schema made = schema::object(
        "Binding",
        {required("channel_id", schema::id()),
         required("channel_type", schema::text(), "`websocket`, `sms`, `agent`, ..."),
         required("kind", words_of("ChannelKind", channel_kind::transport)),
         required("access", access_schema()),
         required("is_muted", schema::boolean(), "May not write; a muted agent still thinks"),
         required("visibility", schema::text(), "Who sees what enters here"),
         required("participant_id", schema::text(), "Whose channel it is; empty: nobody's own"),
         required("address", schema::text(), "Where deliveries go; empty: the channel itself"),
         required("retry", retry_schema().or_null()),
         required("rate_limit", rate_limit_schema().or_null()),
         required("metadata", schema::any_object()),
         required("attached_at", schema::time())}
    );
    return made;
}

namespace {

void write_rate(json_writer& out, std::string_view key, const std::optional<double>& rate) {
    out.key(key);
    if (rate) {
        out.number(*rate);
    } else {
        out.null();
    }
}

}  // namespace

void write_retry(json_writer& out, const std::optional<retry_policy>& retry) {
    if (!retry) {
        out.null();
        return;
    }
    out.begin_object();
    out.key("max_retries").integer(retry->max_retries);
    out.key("base_delay_ms").integer(retry->base_delay.count());
    out.key("max_delay_ms").integer(retry->max_delay.count());
    out.key("factor").number(retry->factor);
    out.end_object();
}

void write_rate_limit(json_writer& out, const std::optional<rate_limit>& limit) {
    if (!limit) {
        out.null();
        return;
    }
    out.begin_object();
    write_rate(out, "per_second", limit->per_second);
    write_rate(out, "per_minute", limit->per_minute);
    write_rate(out, "per_hour", limit->per_hour);
    out.end_object();
}

void write_binding(json_writer& out, const binding& shown) {
    out.begin_object();
    out.key("channel_id").string(shown.channel.str());
    out.key("channel_type").string(shown.channel_type);
    out.key("kind").string(word_of(shown.kind));
    out.key("access").string(word_of(shown.access));
    out.key("is_muted").boolean(shown.is_muted);
    out.key("visibility").string(shown.visibility.text());
    out.key("participant_id").string(shown.participant.str());
    out.key("address").string(shown.address);
    write_retry(out.key("retry"), shown.retry);
    write_rate_limit(out.key("rate_limit"), shown.limit);
    out.key("metadata").json(shown.metadata);
    write_time(out.key("attached_at"), shown.attached_at);
    out.end_object();
}

json_text binding_as_json(const binding& shown) {
    json_writer out;
    write_binding(out, shown);
    return out.take();
}

}  // namespace convene
