// SPDX-License-Identifier: Apache-2.0
// Remote hooks over HTTP: made, changed, their secret replaced; each change is on the audit trail.
#include "http/resource/hook_routes.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "base/value_forms.hpp"
#include "hook/hook_secrets.hpp"
#include "http/access_authenticator.hpp"
#include "http/shown_once.hpp"
#include "http/view/event_view.hpp"
#include "http/view/hook_view.hpp"
#include "store/operations/hooks.hpp"
#include "store/store.hpp"
#include "webhook/signature.hpp"

namespace convene {

namespace {

constexpr std::size_t max_name_length = 256;
constexpr std::size_t max_url_length = 2048;
constexpr std::size_t max_filter_items = 32;
constexpr std::int64_t max_priority = 1'000'000;
constexpr std::int64_t longest_overlap = 7 * 24 * 3600;

/// Somebody else may change the same hook at the same time.
constexpr int change_tries = 3;

// -- what callers send -----------------------------------------------------------------------------------

std::vector<schema_field> changeable_fields() {
    return {
        optional("name", schema::text({0, max_name_length})),
        optional("mode", hook_mode_schema(), "Left out: `remote`"),
        optional("priority", schema::integer({-max_priority, max_priority}), "Left out: 0"),
        optional("channel_types", schema::list(schema::id(), max_filter_items), "Left out: any"),
        optional("event_types", schema::list(event_type_schema(), max_filter_items)),
        optional("deadline_ms", schema::integer({1, 10'000}), "Of a serial one at most 2000"),
        optional("on_failure", hook_failure_policy_schema(), "Left out: `fail_open`"),
        optional("is_enabled", schema::boolean(), "Left out: true"),
    };
}

const schema& new_hook_schema() {
    static const schema made = [] {
        std::vector<schema_field> fields = changeable_fields();
        fields.insert(fields.begin(), required("url", schema::text({1, max_url_length})));
        fields.push_back(optional("secret", schema::text({1, 256}), "`whsec_...`; left out: made"));
        return schema::input("NewHook", std::move(fields));
    }();
    return made;
}

const schema& hook_patch_schema() {
    static const schema made = [] {
        std::vector<schema_field> fields = changeable_fields();
        fields.insert(fields.begin(), optional("url", schema::text({1, max_url_length})));
        return schema::input("HookPatch", std::move(fields));
    }();
    return made;
}

const schema& rotation_schema() {
    static const schema made = schema::input(
        "SecretRotation",
        {optional("secret", schema::text({1, 256}), "`whsec_...`; left out: made"),
         optional(
             "overlap_seconds",
             schema::integer({0, longest_overlap}),
             "How long the secret before counts too; left out: a day"
         )}
    );
    return made;
}

const schema& hook_list_schema() {
    static const schema made = schema::object(
        "HookList", {required("hooks", schema::list(hook_schema()), "In the order of asking")}
    );
    return made;
}

/// Scheme, host and no user name; where it leads is checked when it is connected to.
bool is_hook_url(std::string_view url) {
    const std::size_t start = url.find("://");
    if (!is_web_url(url) || start == std::string_view::npos) {
        return false;
    }
    const std::string_view rest = url.substr(start + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#\\"));
    return authority.find('@') == std::string_view::npos;
}

or_problem<> apply_to(remote_hook* changed, const read_object& body) {
    if (auto url = body.text("url")) {
        changed->url = *std::move(url);
    }
    if (!is_hook_url(changed->url)) {
        return validation_problem("url", boundary_reason::unsupported_url);
    }
    changed->name = body.text("name").value_or(changed->name);
    if (const auto word = body.text("mode")) {
        changed->mode = hook_mode_from(*word).value_or(changed->mode);
    }
    if (const auto priority = body.integer("priority")) {
        changed->priority = static_cast<std::int32_t>(*priority);
    }
    if (body.has("channel_types")) {
        changed->channel_types = body.texts("channel_types");
    }
    if (body.has("event_types")) {
        changed->event_types.clear();
        for (const std::string& word : body.texts("event_types")) {
            changed->event_types.push_back(event_type_from(word).value_or(event_type::message));
        }
    }
    if (const auto deadline = body.integer("deadline_ms")) {
        changed->deadline = milliseconds{*deadline};
    }
    if (changed->deadline > longest_deadline(changed->mode)) {
        return validation_problem("deadline_ms", boundary_reason::out_of_range);
    }
    if (const auto word = body.text("on_failure")) {
        changed->on_failure = hook_failure_policy_from(*word).value_or(changed->on_failure);
    }
    changed->is_enabled = body.boolean("is_enabled").value_or(changed->is_enabled);
    return {};
}

/// The secret of the body, or a new one.
or_problem<webhook_secret> secret_of(
    const std::optional<std::string>& given, random_source& random
) {
    if (!given) {
        return webhook_secret::generate(random);
    }
    std::optional<webhook_secret> secret = webhook_secret::parse(*given);
    if (!secret) {
        return validation_problem("secret", boundary_reason::malformed);
    }
    return *std::move(secret);
}

// -- the steps of the handlers ---------------------------------------------------------------------------

audit_entry entry_of(const route_call& call, std::string action, const remote_hook& about) {
    audit_entry entry;
    entry.organization = call.who.organization;
    entry.actor = signed_in_of(call.who).actor();
    entry.action = std::move(action);
    entry.target = about.id.str();
    json_writer details;
    details.begin_object();
    details.key("room_id").string(about.room.str());
    details.key("url").string(about.url);
    details.end_object();
    entry.details = details.take();
    entry.peer = call.request.peer;
    return entry;
}

/// A room and an organisation have a limited number of hooks.
problem problem_of_hook(error_code failure) {
    if (failure == errc::overloaded) {
        return validation_problem("hooks", boundary_reason::too_many);
    }
    return problem_of(
        failure == errc::room_changed ? make_error_code(errc::room_contended) : failure
    );
}

/// The room of the path; empty on the organisation's own routes.
room_id place_of(const route_call& call) { return call.room ? call.room->room.id : room_id{}; }

/// The hook of the path. On a room's routes it must be that room's; the organisation's find every hook.
awaitable<or_problem<remote_hook>> find_hook(hook_route_parts parts, route_call call) {
    ops::get_hook request{call.who.organization, hook_id{call.at("hook_id")}};
    auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    const bool is_elsewhere = call.room && found->room != call.room->room.id;
    if (is_elsewhere) {
        co_return not_found_problem();
    }
    co_return *std::move(found);
}

awaitable<handled> list_hooks(hook_route_parts parts, route_call call) {
    ops::list_hooks request{call.who.organization, place_of(call)};
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("hooks").begin_array();
    for (const remote_hook& hook : *found) {
        write_hook(out, hook);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<or_problem<made_with_secret>> make_hook(hook_route_parts parts, route_call call) {
    remote_hook hook;
    hook.id = parts.ids->next<hook_id>();
    hook.organization = call.who.organization;
    hook.room = place_of(call);
    const or_problem<> read = apply_to(&hook, *call.body);
    if (!read) {
        co_return read.error();
    }
    const or_problem<webhook_secret> secret = secret_of(call.body->text("secret"), *parts.random);
    if (!secret) {
        co_return secret.error();
    }
    seal_hook_secret(*parts.box, *secret, parts.clock->now(), *parts.random, &hook);
    ops::put_hook request{hook, entry_of(call, "hook.created", hook)};
    const auto made = co_await parts.kit->store().run(std::move(request));
    if (!made) {
        co_return problem_of_hook(made.error());
    }
    http_response shown = json_answer(201, made_hook_as_json(*made, secret->text()));
    co_return made_with_secret{made->id.str(), std::move(shown)};
}

awaitable<handled> get_hook(hook_route_parts parts, route_call call) {
    const or_problem<remote_hook> found = co_await find_hook(parts, std::move(call));
    if (!found) {
        co_return found.error();
    }
    co_return json_answer(200, hook_as_json(*found));
}

awaitable<handled> update_hook(hook_route_parts parts, route_call call) {
    for (int tried = 1;; ++tried) {
        or_problem<remote_hook> hook = co_await find_hook(parts, call);
        if (!hook) {
            co_return hook.error();
        }
        const or_problem<> read = apply_to(&*hook, *call.body);
        if (!read) {
            co_return read.error();
        }
        ops::put_hook request{*hook, entry_of(call, "hook.updated", *hook)};
        const auto stored = co_await parts.kit->store().run(std::move(request));
        if (stored) {
            co_return json_answer(200, hook_as_json(*stored));
        }
        if (stored.error() != errc::room_changed || tried == change_tries) {
            co_return problem_of_hook(stored.error());
        }
    }
}

awaitable<handled> rotate_secret(hook_route_parts parts, route_call call) {
    std::optional<std::string> given;
    std::chrono::seconds overlap = std::chrono::hours{24};
    if (call.body) {
        given = call.body->text("secret");
        overlap = std::chrono::seconds{
            call.body->integer("overlap_seconds").value_or(overlap.count())
        };
    }
    const or_problem<webhook_secret> secret = secret_of(given, *parts.random);
    if (!secret) {
        co_return secret.error();
    }
    for (int tried = 1;; ++tried) {
        or_problem<remote_hook> hook = co_await find_hook(parts, call);
        if (!hook) {
            co_return hook.error();
        }
        const wall_time until = parts.clock->now() + overlap;
        seal_hook_secret(*parts.box, *secret, until, *parts.random, &*hook);
        ops::put_hook request{*hook, entry_of(call, "hook.secret_rotated", *hook)};
        const auto stored = co_await parts.kit->store().run(std::move(request));
        if (stored) {
            co_return json_answer(200, made_hook_as_json(*stored, secret->text()));
        }
        if (stored.error() != errc::room_changed || tried == change_tries) {
            co_return problem_of_hook(stored.error());
        }
    }
}

awaitable<handled> delete_hook(hook_route_parts parts, route_call call) {
    const or_problem<remote_hook> hook = co_await find_hook(parts, call);
    if (!hook) {
        co_return hook.error();
    }
    ops::delete_hook request{
        call.who.organization, hook->id, entry_of(call, "hook.deleted", *hook)
    };
    const auto gone = co_await parts.kit->store().run(std::move(request));
    if (!gone) {
        co_return problem_of(gone.error());
    }
    co_return no_content();
}

// -- the routes ------------------------------------------------------------------------------------------

using hook_handler = awaitable<handled> (*)(hook_route_parts parts, route_call call);

route_handler on(hook_route_parts parts, hook_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

/// Where the routes are, who may call them, and what their operations are called.
struct hook_place {
    std::string base;
    std::string name;  ///< `hook`, `room_hook`
    permission who;
};

route hook_route(const hook_place& place, http_method method, std::string path, std::string verb) {
    route made;
    made.method = method;
    made.pattern = place.base + path;
    made.operation = std::move(verb) + '_' + place.name;
    made.tag = "hooks";
    made.who = place.who;
    return made;
}

void add_routes(const hook_place& place, hook_route_parts parts, std::vector<route>* routes) {
    route listing = hook_route(place, http_method::get, "", "list");
    listing.operation += 's';
    listing.summary = "Remote hooks, without their secrets";
    listing.answers = {{200, "In the order of asking", hook_list_schema()}};
    listing.handle = on(parts, list_hooks);
    routes->push_back(std::move(listing));

    route creating = hook_route(place, http_method::post, "", "create");
    creating.summary = "Has a URL asked about events";
    creating.body = new_hook_schema();
    creating.answers = {{201, "The hook with its secret: this once", made_hook_schema()}};
    creating.key = key_rule::honoured;
    creating.handle = once_for_each_key(
        &parts.kit->store(),
        "rotate its secret",
        [parts](route_call call) { return make_hook(parts, std::move(call)); }
    );
    routes->push_back(std::move(creating));

    route getting = hook_route(place, http_method::get, "/{hook_id}", "get");
    getting.summary = "One hook";
    getting.answers = {{200, "The hook", hook_schema()}};
    getting.handle = on(parts, get_hook);
    routes->push_back(std::move(getting));

    route changing = hook_route(place, http_method::patch, "/{hook_id}", "update");
    changing.summary = "Changes what is named; the next event meets the hook as it is then";
    changing.body = hook_patch_schema();
    changing.answers = {{200, "The hook", hook_schema()}};
    changing.handle = on(parts, update_hook);
    routes->push_back(std::move(changing));

    route removing = hook_route(place, http_method::delete_, "/{hook_id}", "delete");
    removing.summary = "No event meets the hook any more";
    removing.answers = {{204, "It is gone", std::nullopt}};
    removing.handle = on(parts, delete_hook);
    routes->push_back(std::move(removing));

    route rotating = hook_route(place, http_method::post, "/{hook_id}/rotate-secret", "rotate");
    rotating.operation += "_secret";
    rotating.summary = "Replaces the secret; for a while calls are signed with both";
    rotating.body = rotation_schema();
    rotating.body_presence = presence::optional;
    rotating.answers = {{200, "The hook with its new secret: this once", made_hook_schema()}};
    rotating.handle = on(parts, rotate_secret);
    routes->push_back(std::move(rotating));
}

}  // namespace

std::vector<route> hook_routes(hook_route_parts parts) {
    std::vector<route> routes;
    add_routes({"/api/v1/hooks", "hook", permission::admin}, parts, &routes);
    add_routes(
        {"/api/v1/rooms/{room_id}/hooks", "room_hook", permission::room_manager}, parts, &routes
    );
    return routes;
}

}  // namespace convene
