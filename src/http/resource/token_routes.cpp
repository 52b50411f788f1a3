// SPDX-License-Identifier: Apache-2.0
// API tokens of an organisation over HTTP.
#include <utility>

#include "access/field_rules.hpp"
#include "http/resource/access_routes.hpp"
#include "http/shown_once.hpp"
#include "http/view/access_view.hpp"

namespace convene {

namespace {

schema token_list_schema() {
    return schema::object("ApiTokenList", {required("tokens", schema::list(api_token_schema()))});
}

schema new_token_schema() {
    return schema::input(
        "NewApiToken",
        {required("name", schema::text({1, max_name_bytes})),
         required("role", user_role_schema()),
         optional("expires_at", schema::time(), "Left out: never")}
    );
}

schema made_token_schema() {
    return schema::object(
        "MadeApiToken",
        {required("id", schema::id()),
         required("name", schema::text()),
         required("role", user_role_schema()),
         required("token", schema::text(), "Shown once")}
    );
}

awaitable<handled> list_tokens(access_route_parts parts, route_call call) {
    const auto found = co_await parts.service->list_tokens(caller_of(call));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("tokens").begin_array();
    for (const api_token& one : *found) {
        write_api_token(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<or_problem<made_with_secret>> make_token(access_route_parts parts, route_call call) {
    std::string name = call.body->text("name").value_or("");
    const std::string role = call.body->text("role").value_or("");
    const checked<> allowed = check_name(name, "name");
    if (!allowed) {
        co_return problem_of(allowed.error());
    }
    std::optional<wall_time> expires_at;
    if (const auto text = call.body->text("expires_at")) {
        const result<wall_time> read = parse_rfc3339(*text);
        if (!read) {
            co_return validation_problem("expires_at", boundary_reason::malformed);
        }
        expires_at = *read;
    }
    auto creation = parts.service->create_token(
        caller_of(call), std::move(name), user_role_of(role).value_or(user_role::member), expires_at
    );
    const auto made = co_await std::move(creation);
    if (!made) {
        co_return problem_of(made.error());
    }
    json_writer out;
    out.begin_object();
    out.key("id").string(made->token.id.str());
    out.key("name").string(made->token.name);
    out.key("role").string(word_of(made->token.role));
    out.key("token").string(made->text);
    out.end_object();
    co_return made_with_secret{made->token.id.str(), json_answer(201, out.take())};
}

awaitable<handled> revoke_token(access_route_parts parts, route_call call) {
    api_token_id id{call.at("token_id")};
    const auto revoked = co_await parts.service->revoke_token(caller_of(call), std::move(id));
    if (!revoked) {
        co_return problem_of(revoked.error());
    }
    co_return no_content();
}

route token_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/tokens" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "tokens";
    made.who = permission::admin;
    return made;
}

}  // namespace

std::vector<route> token_routes(access_route_parts parts) {
    std::vector<route> routes;

    route listing = token_route(http_method::get, "", "list_tokens", "Tokens, without their text");
    listing.answers = {{200, "By id", token_list_schema()}};
    listing.handle = on(parts, list_tokens);
    routes.push_back(std::move(listing));

    route creating = token_route(http_method::post, "", "create_token", "Makes a token");
    creating.body = new_token_schema();
    creating.answers = {{201, "The token: this once", made_token_schema()}};
    creating.key = key_rule::honoured;
    creating.handle = once_for_each_key(
        &parts.service->store(),
        "revoke it and make another under another key",
        [parts](route_call call) { return make_token(parts, std::move(call)); }
    );
    routes.push_back(std::move(creating));

    route revoking = token_route(
        http_method::delete_, "/{token_id}", "revoke_token", "Ends a token at once"
    );
    revoking.answers = {{204, "Ended", std::nullopt}};
    revoking.handle = on(parts, revoke_token);
    routes.push_back(std::move(revoking));
    return routes;
}

}  // namespace convene
