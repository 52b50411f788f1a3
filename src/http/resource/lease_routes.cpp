// SPDX-License-Identifier: Apache-2.0
// Who holds which lease, in whichever worker, since when and for what; taking one away; replaying a skip.
#include <fmt/format.h>

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
constexpr std::size_t most_lost_names = 100;

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

/// Leases of the deployment, and those of them that the caller may see.
struct lease_view {
    std::vector<worker_lease> all;
    std::vector<worker_lease> visible;
};

awaitable<result<lease_view>> look_at_leases(resource_parts parts, principal who) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    auto leases = co_await parts.kit->all_leases(until);
    if (!leases) {
        co_return leases.error();
    }
    lease_view view;
    view.all = *std::move(leases);
    std::ranges::copy_if(
        view.all,
        std::back_inserter(view.visible),
        [&who](const worker_lease& one) { return is_visible_to(who, one.lease.name); }
    );
    co_return view;
}

/// What would be lost with the session that holds the lease: a room's lock has a session of its own, all others of a
/// worker share one.
std::vector<worker_lease> lost_with(
    const worker_lease& ended, const std::vector<worker_lease>& leases
) {
    std::vector<worker_lease> lost;
    if (ended.lease.name.kind() == lease_kind::room) {
        return lost;
    }
    std::ranges::copy_if(leases, std::back_inserter(lost), [&ended](const worker_lease& one) {
        return one.worker == ended.worker && one.lease.name != ended.lease.name &&
               one.lease.name.kind() != lease_kind::room;
    });
    return lost;
}

schema lease_worker_schema() {
    return schema::object(
        "LeaseWorker",
        {required("incarnation", schema::id(), "As `admin/workers` has it"),
         required("host", schema::text()),
         required("is_self", schema::boolean(), "It is the one that answered")}
    );
}

void write_worker(json_writer& out, const worker_lease& lease, const incarnation_id& me) {
    out.begin_object();
    out.key("incarnation").string(lease.worker.str());
    out.key("host").string(lease.host);
    out.key("is_self").boolean(lease.worker == me);
    out.end_object();
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
         required("worker", lease_worker_schema()),
         required("state", schema::word("LeaseState", {"held", "suspect", "lost"})),
         required("age_seconds", schema::number(0, 1e12)),
         required("waiters", schema::integer({0}), "In all workers")}
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

void write_counts(json_writer& out, const std::vector<worker_lease>& leases) {
    std::map<lease_kind, std::pair<std::int64_t, std::int64_t>> counts;
    for (const worker_lease& one : leases) {
        auto& [held, waiters] = counts[one.lease.name.kind()];
        ++held;
        waiters += static_cast<std::int64_t>(one.lease.waiters);
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
    const auto view = co_await look_at_leases(parts, call.who);
    if (!view) {
        co_return problem_of(view.error());
    }
    std::vector<worker_lease> leases = view->visible;
    const incarnation_id& me = parts.kit->incarnation();
    json_writer out;
    out.begin_object();
    out.key("worker").string(me.str());
    write_counts(out.key("counts"), leases);
    if (call.text("view") == "waiting") {
        std::erase_if(leases, [](const worker_lease& one) { return one.lease.waiters == 0; });
    }
    std::ranges::sort(leases, [](const worker_lease& a, const worker_lease& b) {
        return std::tie(a.lease.since, a.lease.name) < std::tie(b.lease.since, b.lease.name);
    });
    leases.erase(
        leases.begin() + static_cast<std::ptrdiff_t>(std::min(leases.size(), most_leases)),
        leases.end()
    );
    out.key("leases").begin_array();
    for (const worker_lease& one : leases) {
        const lease_name& name = one.lease.name;
        const std::chrono::duration<double> age = context.where->now() - one.lease.since;
        out.begin_object();
        out.key("name").string(name.display());
        out.key("kind").string(word_of(name.kind()));
        out.key("id").string(name.id());
        out.key("purpose").string(name.purpose());
        out.key("holder").string(one.worker.str());
        write_worker(out.key("worker"), one, me);
        out.key("state").string(word_for(one.lease.state));
        out.key("age_seconds").number(std::max(age.count(), 0.0));
        out.key("waiters").integer(static_cast<std::int64_t>(one.lease.waiters));
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
             schema::word("LeaseReleaseState", {"dry_run", "released", "told", "session_ended"}),
             "`told`: the holder knows, and has not let go yet"
         ),
         required("worker", lease_worker_schema(), "Which holds it, or held it"),
         required("consequence", schema::text(), "What else falls"),
         required("waiters", schema::integer({0}), "Who comes next"),
         required(
             "lost_with_session",
             schema::integer({0}),
             "Other leases that are lost if the session that holds it has to be ended"
         ),
         required(
             "lost_names", schema::list(schema::text()), "Of those, that you may see; 100 at most"
         )}
    );
}

/// A lease that is to be taken away, and what hangs on its session.
struct wanted_lease {
    worker_lease held;
    std::vector<worker_lease> lost;
};

handled answer_of_release(
    int status,
    std::string_view state,
    const route_call& call,
    const resource_parts& parts,
    const wanted_lease& wanted
) {
    const lease_name& name = wanted.held.lease.name;
    json_writer out;
    out.begin_object();
    out.key("name").string(name.display());
    out.key("state").string(state);
    write_worker(out.key("worker"), wanted.held, parts.kit->incarnation());
    out.key("consequence").string(consequence_of(name.kind()));
    out.key("waiters").integer(static_cast<std::int64_t>(wanted.held.lease.waiters));
    out.key("lost_with_session").integer(static_cast<std::int64_t>(wanted.lost.size()));
    out.key("lost_names").begin_array();
    std::size_t written = 0;
    for (const worker_lease& one : wanted.lost) {
        if (written < most_lost_names && is_visible_to(call.who, one.lease.name)) {
            out.string(one.lease.name.display());
            ++written;
        }
    }
    out.end_array();
    out.end_object();
    return json_answer(status, out.take());
}

/// The holder is silent, or does not stop: what is left is to end its session, and that takes others with it.
problem kept_problem(const wanted_lease& wanted) {
    return conflict_problem(
        "LEASE_NOT_RELEASED",
        fmt::format(
            "worker {} was asked, and has not let go within {} seconds; with `confirm` the session "
            "that holds the lease is ended, and {} other leases of that worker are lost with it",
            wanted.held.worker.str(),
            patience.count(),
            wanted.lost.size()
        )
    );
}

json_text details_of_release(const route_call& call, const worker_lease& held) {
    json_writer details;
    details.begin_object();
    details.key("reason").string(call.text("reason").value_or(""));
    details.key("worker").string(held.worker.str());
    details.key("confirm").boolean(call.flag("confirm"));
    details.end_object();
    return details.take();
}

awaitable<handled> release_lease(resource_parts parts, route_call call) {
    const auto view = co_await look_at_leases(parts, call.who);
    if (!view) {
        co_return problem_of(view.error());
    }
    const auto found = std::ranges::find(
        view->visible,
        call.at("name"),
        [](const worker_lease& one) { return one.lease.name.display(); }
    );
    if (found == view->visible.end()) {
        co_return not_found_problem();
    }
    const wanted_lease wanted{*found, lost_with(*found, view->all)};
    if (call.flag("dry_run")) {
        co_return answer_of_release(200, "dry_run", call, parts, wanted);
    }
    if (!call.text("reason")) {
        co_return validation_problem("reason", boundary_reason::missing_field);
    }
    // Written down before it is done: what fell is explained, whatever happens next.
    lease_name name = wanted.held.lease.name;
    ops::append_audit line{
        audit_of(call, "lease.released", name.display(), details_of_release(call, wanted.held))
    };
    const auto noted = co_await parts.kit->store().run(std::move(line));
    if (!noted) {
        co_return problem_of(noted.error());
    }
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    const auto otherwise = call.flag("confirm") ? stubborn_holder::loses_its_session
                                                : stubborn_holder::keeps_it;
    const auto taken = co_await parts.kit->take_lease_away(std::move(name), otherwise, until);
    if (!taken && taken.error() == errc::timed_out) {
        const bool is_ours = wanted.held.worker == parts.kit->incarnation();
        co_return is_ours ? answer_of_release(202, "told", call, parts, wanted)
                          : handled{kept_problem(wanted)};
    }
    if (!taken && taken.error() != errc::not_found) {
        co_return problem_of(taken.error());
    }
    const bool is_session_ended = taken && *taken == lease_release::session_ended;
    const std::string_view state = is_session_ended ? "session_ended" : "released";
    co_return answer_of_release(200, state, call, parts, wanted);
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
    return conflict_problem(
        "ALREADY_REPLAYED",
        "a skip is replayed once; `rooms/{room_id}/events/{event_id}/deliveries` tells what became "
        "of it"
    );
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
    listing.summary = "Leases that the workers hold";
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
        query_parameter(
            "confirm",
            schema::boolean(),
            "A holder that has not let go after five seconds loses its session, and all leases on "
            "it",
            "false"
        ),
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
