// SPDX-License-Identifier: Apache-2.0
// Health and metrics.
#include "http/resource/system_routes.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/json_writer.hpp"
#include "store/operations/operating.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// A store or a lock that needs longer to answer serves nobody.
constexpr std::chrono::seconds probe_deadline{2};

/// A balancer asks from anywhere, and more often than people do.
route system_route(std::string pattern, std::string operation, std::string summary) {
    route made;
    made.pattern = std::move(pattern);
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "system";
    made.who = permission::anyone;
    made.rate = rate_rule::free;
    return made;
}

const schema& liveness_schema() {
    static const schema made = schema::object(
        "Liveness", {required("status", schema::word("", {"alive"}))}
    );
    return made;
}

const schema& readiness_schema() {
    static const schema check = schema::object(
        "ReadinessCheck", {required("name", schema::text()), required("is_ok", schema::boolean())}
    );
    static const schema made = schema::object(
        "Readiness",
        {required("status", schema::word("", {"ready", "not_ready"})),
         required(
             "schema_version",
             schema::integer({0}).or_null(),
             "Of the stored layout; `null` where the store does not answer"
         ),
         required("checks", schema::list(check))}
    );
    return made;
}

awaitable<handled> answer_alive() {
    json_writer out;
    out.begin_object();
    out.key("status").string("alive");
    out.end_object();
    co_return json_answer(200, out.take());
}

/// The version of the store's layout; unset: the store does not answer.
awaitable<std::optional<std::int32_t>> probe_store(room_kit* kit) {
    const coroutine_context context = co_await this_context();
    ops::probe_store request;
    const deadline until{context.where->now() + probe_deadline};
    const auto found = co_await with_deadline(until, kit->store().run(std::move(request)));
    co_return found ? std::optional{found->schema_version} : std::nullopt;
}

awaitable<bool> can_have_leases(room_kit* kit) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + probe_deadline};
    const result<> tested = co_await kit->test_leases(until);
    co_return tested.has_value();
}

void write_check(json_writer& out, std::string_view name, bool is_ok) {
    out.begin_object();
    out.key("name").string(name);
    out.key("is_ok").boolean(is_ok);
    out.end_object();
}

awaitable<handled> answer_ready(system_parts parts) {
    const std::optional<std::int32_t> version = co_await probe_store(parts.kit);
    const bool is_reachable = version.has_value();
    const bool has_leases = co_await can_have_leases(parts.kit);
    const bool is_taking_work = !parts.front->is_draining();
    const bool is_itself = !parts.kit->buried().is_set();
    const bool is_ready = is_reachable && has_leases && is_taking_work && is_itself;
    json_writer out;
    out.begin_object();
    out.key("status").string(is_ready ? "ready" : "not_ready");
    out.key("schema_version");
    if (version) {
        out.integer(*version);
    } else {
        out.null();
    }
    out.key("checks").begin_array();
    write_check(out, "store", is_reachable);
    write_check(out, "leases", has_leases);
    write_check(out, "taking_work", is_taking_work);
    write_check(out, "incarnation", is_itself);
    out.end_array();
    out.end_object();
    co_return json_answer(is_ready ? 200 : 503, out.take());
}

/// Of all lanes together: a series for each room would be as many as there are rooms.
void write_lanes(metrics_text& out, const std::vector<room_kit::lane_figures>& lanes) {
    std::size_t queued = 0;
    std::size_t most_queued = 0;
    std::int64_t lag = 0;
    std::int64_t most_lag = 0;
    std::int64_t claims = 0;
    for (const room_kit::lane_figures& lane : lanes) {
        queued += lane.queued;
        most_queued = std::max(most_queued, lane.queued);
        const std::int64_t behind = lane.latest_known.value() - lane.delivered.value();
        lag += std::max<std::int64_t>(behind, 0);
        most_lag = std::max(most_lag, behind);
        claims += lane.holds_claim ? 1 : 0;
    }
    const auto gauge = [&out](std::string_view name, std::string_view help, auto value) {
        out.family(name, "gauge", help);
        out.sample(name, {}, static_cast<double>(value));
    };
    gauge("convene_lanes", "Rooms with a lane in this worker.", lanes.size());
    gauge("convene_lane_depth", "Sets waiting in lanes of this worker.", queued);
    gauge("convene_lane_depth_max", "The same in the lane that is longest.", most_queued);
    gauge("convene_lane_lag", "Events committed and not delivered, summed.", lag);
    gauge("convene_lane_lag_max", "The same for the room that is most behind.", most_lag);
    gauge("convene_delivery_claims_held", "Delivery claims this worker holds.", claims);
}

void write_lane_times(metrics_text& out, const room_kit::lane_times& times) {
    const auto summary = [&out](std::string_view name, std::string_view help, const auto& tally) {
        const std::chrono::duration<double> sum = tally.sum;
        const std::string family{name};
        out.family(name, "summary", help);
        out.sample(family + "_sum", {}, sum.count());
        out.sample(family + "_count", {}, static_cast<double>(tally.count));
    };
    summary(
        "convene_lane_claim_wait_seconds",
        "From asking for a delivery claim to having it.",
        times.claim_wait
    );
    summary(
        "convene_lane_handover_seconds",
        "How long, at most, others waited for a claim that this worker let go for them.",
        times.handover
    );
}

/// By kind: names are as many as there are rooms.
void write_leases(metrics_text& out, const std::vector<lease_info>& leases, monotonic_time now) {
    struct figures {
        std::size_t held = 0;
        std::size_t waiters = 0;
        std::chrono::duration<double> oldest{};
    };

    std::map<lease_kind, figures> by_kind;
    for (const lease_info& one : leases) {
        figures& of = by_kind[one.name.kind()];
        ++of.held;
        of.waiters += one.waiters;
        of.oldest = std::max<std::chrono::duration<double>>(of.oldest, now - one.since);
    }
    const auto family = [&](std::string_view name, std::string_view help, auto value_of) {
        out.family(name, "gauge", help);
        for (const auto& [kind, of] : by_kind) {
            out.sample(name, {{"kind", std::string{word_of(kind)}}}, value_of(of));
        }
    };
    family("convene_leases_held", "Leases this worker holds.", [](const figures& of) {
        return static_cast<double>(of.held);
    });
    family("convene_lease_waiters", "Waiting for leases it holds.", [](const figures& of) {
        return static_cast<double>(of.waiters);
    });
    family("convene_lease_age_seconds_max", "How long the oldest is held.", [](const figures& of) {
        return of.oldest.count();
    });
}

awaitable<handled> answer_metrics(system_parts parts) {
    const coroutine_context context = co_await this_context();
    metrics_text out;
    out.family("convene_draining", "gauge", "1 while the server stops.");
    out.sample("convene_draining", {}, parts.front->is_draining() ? 1 : 0);
    write_lanes(out, parts.kit->lanes());
    write_lane_times(out, parts.kit->lane_timing());
    write_leases(out, parts.kit->leases(), context.where->now());
    parts.front->metrics().write(out);
    if (parts.more_figures) {
        co_await parts.more_figures(&out);
    }
    http_response answer;
    answer.headers.set("content-type", "text/plain; version=0.0.4; charset=utf-8");
    answer.body = out.take();
    co_return answer;
}

}  // namespace

std::vector<route> system_routes(system_parts parts) {
    std::vector<route> routes;
    route alive = system_route("/livez", "get_liveness", "The process runs");
    alive.answers = {{200, "It does", liveness_schema()}};
    alive.handle = [](route_call) { return answer_alive(); };
    routes.push_back(std::move(alive));

    route ready = system_route("/readyz", "get_readiness", "It can take work");
    ready.answers = {
        {200, "It can", readiness_schema()},
        {503, "It can't; `checks` names why", readiness_schema()},
    };
    ready.handle = [parts](route_call) { return answer_ready(parts); };
    routes.push_back(std::move(ready));

    route metrics = system_route("/metrics", "get_metrics", "Figures for Prometheus");
    // Figures tell how much is going on and where: they are for whoever runs the server.
    metrics.who = permission::operator_;
    metrics.answers = {{200, "In its text form", schema::text(), "text/plain"}};
    metrics.handle = [parts](route_call) { return answer_metrics(parts); };
    routes.push_back(std::move(metrics));
    return routes;
}

}  // namespace convene
