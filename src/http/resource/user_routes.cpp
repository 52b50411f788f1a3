// SPDX-License-Identifier: Apache-2.0
// Users of an organisation over HTTP.
#include <utility>

#include "access/field_rules.hpp"
#include "http/cursor.hpp"
#include "http/resource/access_routes.hpp"
#include "http/shown_once.hpp"
#include "http/view/access_view.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

constexpr std::int64_t most_users = 200;

schema user_list_schema() {
    return schema::object(
        "UserList",
        {required("users", schema::list(user_schema())),
         required("next_cursor", schema::text().or_null(), "Null on the last page")}
    );
}

schema new_user_schema() {
    return schema::input(
        "NewUser",
        {required("email", schema::text({1, max_email_bytes})),
         required("display_name", schema::text({1, max_name_bytes})),
         required("role", user_role_schema())}
    );
}

schema user_patch_schema() {
    return schema::input(
        "UserPatch",
        {optional("display_name", schema::text({1, max_name_bytes})),
         optional("role", user_role_schema()),
         optional("is_active", schema::boolean(), "False: out at once")}
    );
}

schema_field link_field() { return required("link", schema::text(), "Shown once, good once"); }

schema invited_user_schema() {
    return schema::object(
        "InvitedUser",
        {required("user", user_schema()), link_field(), required("link_expires_at", schema::time())}
    );
}

schema made_link_schema() {
    return schema::object("MadeLink", {link_field(), required("link_expires_at", schema::time())});
}

void write_link(json_writer& out, const access_route_parts& parts, const made_link& shown) {
    out.key("link").string(link_to(parts.base_url, shown.token));
    write_time(out.key("link_expires_at"), shown.expires_at);
}

awaitable<handled> list_users(access_route_parts parts, route_call call) {
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(most_users));
    user_id after;
    if (const auto cursor = call.text("cursor")) {
        auto position = decode_cursor(*cursor);
        if (!position) {
            co_return validation_problem("cursor", boundary_reason::malformed);
        }
        after = user_id{*std::move(position)};
    }
    // One more than asked for tells whether there is another page.
    auto listing = parts.service->list_users(caller_of(call), std::move(after), limit + 1);
    auto found = co_await std::move(listing);
    if (!found) {
        co_return problem_of(found.error());
    }
    const bool has_more = found->size() > limit;
    if (has_more) {
        found->pop_back();
    }
    json_writer out;
    out.begin_object();
    out.key("users").begin_array();
    for (const user& one : *found) {
        write_user(out, one);
    }
    out.end_array();
    out.key("next_cursor");
    if (has_more) {
        out.string(encode_cursor(found->back().id.str()));
    } else {
        out.null();
    }
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<or_problem<made_with_secret>> invite_user(access_route_parts parts, route_call call) {
    std::string email = call.body->text("email").value_or("");
    std::string name = call.body->text("display_name").value_or("");
    const std::string role = call.body->text("role").value_or("");
    checked<> allowed = check_email(email, "email");
    if (allowed) {
        allowed = check_name(name, "display_name");
    }
    if (!allowed) {
        co_return problem_of(allowed.error());
    }
    auto creation = parts.service->create_user(
        caller_of(call),
        std::move(email),
        std::move(name),
        user_role_of(role).value_or(user_role::member)
    );
    const auto made = co_await std::move(creation);
    if (!made) {
        co_return problem_of(made.error());
    }
    json_writer out;
    out.begin_object();
    write_user(out.key("user"), made->invited);
    write_link(out, parts, made->invitation);
    out.end_object();
    co_return made_with_secret{made->invited.id.str(), json_answer(201, out.take())};
}

awaitable<handled> change_user(access_route_parts parts, route_call call) {
    user_change change;
    change.display_name = call.body->text("display_name");
    change.is_active = call.body->boolean("is_active");
    if (const auto role = call.body->text("role")) {
        change.role = user_role_of(*role);
    }
    if (change.display_name) {
        const checked<> allowed = check_name(*change.display_name, "display_name");
        if (!allowed) {
            co_return problem_of(allowed.error());
        }
    }
    user_id id{call.at("user_id")};
    auto update = parts.service->update_user(caller_of(call), std::move(id), std::move(change));
    const auto changed = co_await std::move(update);
    if (!changed) {
        co_return problem_of(changed.error());
    }
    co_return json_answer(200, user_as_json(*changed));
}

awaitable<handled> reset_user(access_route_parts parts, route_call call) {
    user_id id{call.at("user_id")};
    const auto made = co_await parts.service->make_reset_link(caller_of(call), std::move(id));
    if (!made) {
        co_return problem_of(made.error());
    }
    json_writer out;
    out.begin_object();
    write_link(out, parts, *made);
    out.end_object();
    co_return json_answer(201, out.take());
}

route user_route(http_method method, std::string path, std::string operation, std::string summary) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/users" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "users";
    made.who = permission::admin;
    return made;
}

}  // namespace

std::vector<route> user_routes(access_route_parts parts) {
    std::vector<route> routes;

    route listing = user_route(http_method::get, "", "list_users", "Users of the organisation");
    listing.who = permission::operator_;
    listing.parameters = {
        query_parameter("limit", schema::integer({1, most_users}), "Users on a page", "50"),
        query_parameter("cursor", schema::text({1, 1024}), "`next_cursor` of the page before"),
    };
    listing.answers = {{200, "By id", user_list_schema()}};
    listing.handle = on(parts, list_users);
    routes.push_back(std::move(listing));

    route creating = user_route(http_method::post, "", "create_user", "Invites somebody");
    creating.body = new_user_schema();
    creating.answers = {{201, "The user, and the link to pass on", invited_user_schema()}};
    creating.key = key_rule::honoured;
    creating.handle = once_for_each_key(
        &parts.service->store(),
        "`POST users/{user_id}/reset` makes another link",
        [parts](route_call call) { return invite_user(parts, std::move(call)); }
    );
    routes.push_back(std::move(creating));

    route changing = user_route(
        http_method::patch, "/{user_id}", "update_user", "Changes what is named"
    );
    changing.body = user_patch_schema();
    changing.answers = {{200, "The user", user_schema()}};
    changing.handle = on(parts, change_user);
    routes.push_back(std::move(changing));

    route resetting = user_route(
        http_method::post, "/{user_id}/reset", "reset_user", "Makes a link that sets a password"
    );
    resetting.answers = {{201, "The link to pass on", made_link_schema()}};
    resetting.handle = on(parts, reset_user);
    routes.push_back(std::move(resetting));
    return routes;
}

}  // namespace convene
