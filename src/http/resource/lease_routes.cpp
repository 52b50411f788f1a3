// SPDX-License-Identifier: Apache-2.0
// Who holds which lease, since when and for what; taking one away; replaying a skip.
#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "base/json_writer.hpp"
#include "http/audit.hpp"
#include "http/resource/resources.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// How long a request waits for a holder that was told to let go.
constexpr std::chrono::seconds patience{5};

/// Leases in one answer: an operator looks for the few that last or are waited for.
constexpr std::size_t most_leases = 500;

std::string_view word_for(lease_state state) {
    switch (state) {
        case lease_state::held:
            return "held";
        case lease_state::suspect:
            return "suspect";
        case lease_state::lost:
            return "lost";
    }
    return "";
}

std::string purpose_of(const lease_name& name) {
    switch (name.kind()) {
        case lease_kind::room:
            return "commits into the room";
        case lease_kind::delivery:
            return "delivers the room's events";
        case lease_kind::leader:
            return "is elected for the duty " + name.id();
        case lease_kind::session:
            return "drives the session";
        case lease_kind::skill:
            return "pulls the skill";
        case lease_kind::schema:
            return "migrates the schema";
        case lease_kind::worker:
            return "tests whether locks can be had";
    }
    return "";
}

/// What else falls when the lease is taken away.
std::string_view consequence_of(lease_kind kind) {
    switch (kind) {
        case lease_kind::room:
            return "a commit that is not sent yet is refused and decided again";
        case lease_kind::delivery:
            return "the set that runs is cut off; whoever has the claim next executes what of it "
                   "is "
                   "not final, under the same delivery ids";
        case lease_kind::leader:
            return "the duty rests until a worker is elected for it again";
        default:
            return "its holder stops what it does under it";
    }
}

bool is_visible_to(const principal& who, const lease_name& name) {
    const bool is_of_the_deployment = name.organization().empty() &&
                                      (name.kind() == lease_kind::leader ||
                                       name.kind() == lease_kind::worker);
    return is_of_the_deployment || name.organization() == who.organization;
}

std::vector<lease_info> visible_leases(const resource_parts& parts, const principal& who) {
    std::vector<lease_info> held = parts.kit->leases();
    std::erase_if(held, [&who](const lease_info& one) { return !is_visible_to(who, one.name); });
    return held;
}

schema lease_list_schema() {
    const schema kind = schema::text();
    const schema lease = schema::object(
        "Lease",
        {required("name", schema::text(), "What `DELETE admin/leases/{name}` takes, encoded"),
         required("kind", kind),
         required("id", schema::text(), "Of what it protects"),
         required("purpose", schema::text()),
         required("holder", schema::id(), "The incarnation of the worker"),
         required("state", schema::word("LeaseState", {"held", "suspect", "lost"})),
         required("age_seconds", schema::number(0, 1e12)),
         required("waiters", schema::integer({0}))}
    );
    const schema count = schema::object(
        "LeaseCount",
        {required("kind", kind),
         required("held", schema::integer({0})),
         required("waiters", schema::integer({0}))}
    );
    return schema::object(
        "LeaseList",
        {required("worker", schema::id(), "The worker that answered"),
         required("counts", schema::list(count), "Of all, by kind"),
         required("leases", schema::list(lease), "Longest held first, 500 at most")}
    );
}

void write_counts(json_writer& out, const std::vector<lease_info>& leases) {
    std::map<lease_kind, std::pair<std::int64_t, std::int64_t>> counts;
    for (const lease_info& one : leases) {
        auto& [held, waiters] = counts[one.name.kind()];
        ++held;
        waiters += static_cast<std::int64_t>(one.waiters);
    }
    out.begin_array();
    for (const auto& [kind, count] : counts) {
        out.begin_object();
        out.key("kind").string(word_of(kind));
        out.key("held").integer(count.first);
        out.key("waiters").integer(count.second);
        out.end_object();
    }
    out.end_array();
}

awaitable<handled> list_leases(resource_parts parts, route_call call) {
    const coroutine_context context = co_await this_context();
    std::vector<lease_info> leases = visible_leases(parts, call.who);
    const std::string me = parts.kit->incarnation().str();
    json_writer out;
    out.begin_object();
    out.key("worker").string(me);
    write_counts(out.key("counts"), leases);
    if (call.text("view") == "waiting") {
        std::erase_if(leases, [](const lease_info& one) { return one.waiters == 0; });
    }
    std::ranges::sort(leases, [](const lease_info& a, const lease_info& b) {
        return std::tie(a.since, a.name) < std::tie(b.since, b.name);
    });
    leases.erase(
        leases.begin() + static_cast<std::ptrdiff_t>(std::min(leases.size(), most_leases)),
        leases.end()
    );
    out.key("leases").begin_array();
    for (const lease_info& one : leases) {
        const std::chrono::duration<double> age = context.where->now() - one.since;
        out.begin_object();
        out.key("name").string(one.name.display());
        out.key("kind").string(word_of(one.name.kind()));
        out.key("id").string(one.name.id());
        out.key("purpose").string(purpose_of(one.name));
        out.key("holder").string(me);
        out.key("state").string(word_for(one.state));
        out.key("age_seconds").number(std::max(age.count(), 0.0));
        out.key("waiters").integer(static_cast<std::int64_t>(one.waiters));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

schema release_schema() {
    return schema::object(
        "LeaseRelease",
        {required("name", schema::text()),
         required(
             "state",
             schema::word("LeaseReleaseState", {"dry_run", "released", "told"}),
             "`told`: the holder knows, and has not let go yet"
         ),
         required("consequence", schema::text(), "What else falls"),
         required("waiters", schema::integer({0}), "Who comes next")}
    );
}

handled answer_of_release(int status, std::string_view state, const lease_info& released) {
    json_writer out;
    out.begin_object();
    out.key("name").string(released.name.display());
    out.key("state").string(state);
    out.key("consequence").string(consequence_of(released.name.kind()));
    out.key("waiters").integer(static_cast<std::int64_t>(released.waiters));
    out.end_object();
    return json_answer(status, out.take());
}

awaitable<handled> release_lease(resource_parts parts, route_call call) {
    const std::vector<lease_info> leases = visible_leases(parts, call.who);
    const auto found = std::ranges::find(leases, call.at("name"), [](const lease_info& one) {
        return one.name.display();
    });
    if (found == leases.end()) {
        co_return not_found_problem();
    }
    const lease_info wanted = *found;
    if (call.flag("dry_run")) {
        co_return answer_of_release(200, "dry_run", wanted);
    }
    const std::optional<std::string> reason = call.text("reason");
    if (!reason) {
        co_return validation_problem("reason", boundary_reason::missing_field);
    }
    json_writer details;
    details.begin_object();
    details.key("reason").string(*reason);
    details.end_object();
    // Written down before it is done: what fell is explained, whatever happens next.
    ops::append_audit line{audit_of(call, "lease.released", wanted.name.display(), details.take())};
    const auto noted = co_await parts.kit->store().run(std::move(line));
    if (!noted) {
        co_return problem_of(noted.error());
    }
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    lease_name name = wanted.name;
    const result<> released = co_await parts.kit->revoke_lease(std::move(name), until);
    if (released || released.error() == errc::not_found) {
        co_return answer_of_release(200, "released", wanted);
    }
    if (released.error() == errc::timed_out) {
        co_return answer_of_release(202, "told", wanted);
    }
    co_return problem_of(released.error());
}

schema replay_schema() {
    return schema::object(
        "SkipReplay",
        {required("queued", schema::integer({0}), "Deliveries that wait in the outbound queue now"),
         required("reopened", schema::integer({0}), "Answers and after-hooks that are made now"),
         required("left", schema::integer({0}), "Out of reach: they stay skipped")}
    );
}

problem replayed_problem() {
    problem what;
    what.status = 409;
    what.code = "ALREADY_REPLAYED";
    what.detail =
        "a skip is replayed once; `rooms/{room_id}/events/{event_id}/deliveries` tells "
        "what became of it";
    return what;
}

awaitable<handled> replay_skip(resource_parts parts, route_call call) {
    const std::string& text = call.at("skip_id");
    std::int64_t id = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (failure != std::errc{} || end != text.data() + text.size()) {
        co_return not_found_problem();
    }
    const auto replayed = co_await parts.kit->replay_skip(call.who.organization, id);
    if (!replayed) {
        co_return problem_of(replayed.error());
    }
    if (replayed->is_replayed_before) {
        co_return replayed_problem();
    }
    ops::append_audit line{audit_of(call, "skip.replayed", text)};
    const auto noted = co_await shielded(parts.kit->store().run(std::move(line)));
    if (!noted) {
        co_return problem_of(noted.error());
    }
    json_writer out;
    out.begin_object();
    out.key("queued").integer(static_cast<std::int64_t>(replayed->queued));
    out.key("reopened").integer(static_cast<std::int64_t>(replayed->reopened));
    out.key("left").integer(static_cast<std::int64_t>(replayed->left));
    out.end_object();
    co_return json_answer(200, out.take());
}

route operating_route(http_method method, std::string path, std::string operation) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/admin/" + path;
    made.operation = std::move(operation);
    made.tag = "admin";
    made.who = permission::operator_;
    return made;
}

}  // namespace

std::vector<route> lease_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing = operating_route(http_method::get, "leases", "list_leases");
    listing.summary = "Leases that the worker that answers holds";
    listing.parameters = {query_parameter(
        "view", schema::word("", {"all", "waiting"}), "`waiting`: only those waited for", "all"
    )};
    listing.answers = {{200, "The leases", lease_list_schema()}};
    listing.handle = on(parts, list_leases);
    routes.push_back(std::move(listing));

    route releasing = operating_route(http_method::delete_, "leases/{name}", "release_lease");
    releasing.summary = "Takes a lease from its holder, who stops first";
    releasing.parameters = {
        query_parameter("dry_run", schema::boolean(), "Only says what would fall", "false"),
        query_parameter("reason", schema::text({1, 1024}), "For the audit trail; must be given"),
    };
    releasing.answers = {
        {200, "Released, or what would be", release_schema()},
        {202, "The holder was told, and has not let go yet", release_schema()},
    };
    releasing.handle = on(parts, release_lease);
    routes.push_back(std::move(releasing));

    route replaying = operating_route(http_method::post, "skips/{skip_id}/replay", "replay_skip");
    replaying.summary = "Delivers after all what a skip passed over; once";
    replaying.answers = {{200, "What is under way", replay_schema()}};
    replaying.handle = on(parts, replay_skip);
    routes.push_back(std::move(replaying));
    return routes;
}

}  // namespace convene
