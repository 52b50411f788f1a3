// SPDX-License-Identifier: Apache-2.0
// Secrets over HTTP. A value goes in and is never answered.
#include "http/resource/secret_routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "http/audit.hpp"
#include "http/resource/skill_routes.hpp"
#include "http/uri.hpp"
#include "http/view/secret_view.hpp"

namespace convene {

namespace {

constexpr std::size_t max_value_bytes = 4096;
constexpr std::size_t max_description_bytes = 1024;

schema secret_input_schema() {
    return schema::input(
        "SecretValue",
        {required(
             "value", schema::text({1, max_value_bytes}), "On one line; sealed, and shown nowhere"
         ),
         optional("description", schema::text({0, max_description_bytes}), "For people")}
    );
}

schema secret_list_schema() {
    return schema::object("SecretList", {required("secrets", schema::list(secret_schema()))});
}

std::string ids_of(const std::vector<secret_user>& users) {
    std::string ids;
    for (const secret_user& one : users) {
        ids += (ids.empty() ? "" : ", ") + one.skill.str();
    }
    return ids;
}

// -- handlers ----------------------------------------------------------------------------------------------

awaitable<handled> list_secrets(secret_service* secrets, route_call call) {
    const auto found = co_await secrets->list(call.who.organization);
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object().key("secrets").begin_array();
    for (const listed_secret& one : *found) {
        write_secret(out, one);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> get_secret(secret_service* secrets, route_call call) {
    const auto found = co_await secrets->list(call.who.organization);
    if (!found) {
        co_return problem_of(found.error());
    }
    const auto named = std::ranges::find(*found, call.at("name"), [](const listed_secret& one) {
        return one.secret.name.str();
    });
    if (named == found->end()) {
        co_return not_found_problem();
    }
    json_writer out;
    write_secret(out, *named);
    co_return json_answer(200, out.take());
}

awaitable<handled> put_secret(secret_service* secrets, route_call call) {
    const std::string& name = call.at("name");
    if (!is_secret_name(name)) {
        co_return validation_problem("name", boundary_reason::malformed);
    }
    std::string value = call.body->text("value").value_or(std::string{});
    // It is the answer to a question of one line.
    if (value.find_first_of(std::string_view{"\r\n\0", 3}) != std::string::npos) {
        co_return validation_problem("value", boundary_reason::malformed);
    }
    std::string description = call.body->text("description").value_or(std::string{});
    secret_name wanted{name};
    audit_entry by = audit_of(call, {}, {});
    const auto put = co_await secrets->put(
        std::move(wanted), std::move(value), std::move(description), std::move(by)
    );
    if (!put && put.error() == errc::overloaded) {
        co_return conflict_problem("LIMIT_REACHED", "the organisation has 200 secrets: remove one");
    }
    if (!put) {
        co_return problem_of(put.error());
    }
    json_writer out;
    write_secret(out, put->stored);
    http_response answer = json_answer(put->is_new ? 201 : 200, out.take());
    if (put->is_new) {
        answer.headers.set("location", "/api/v1/secrets/" + percent_encode(name));
    }
    co_return answer;
}

awaitable<handled> remove_secret(secret_service* secrets, route_call call) {
    secret_name name{call.at("name")};
    audit_entry by = audit_of(call, {}, {});
    const auto removed = co_await secrets->remove(std::move(name), std::move(by));
    if (!removed) {
        co_return problem_of(removed.error());
    }
    if (removed->outcome == ops::secret_deletion::in_use) {
        problem used = conflict_problem("SECRET_IN_USE", "skills name this secret: see skills");
        used.members.emplace_back("skills", ids_of(removed->used_by));
        co_return used;
    }
    if (removed->outcome == ops::secret_deletion::not_found) {
        co_return not_found_problem();
    }
    co_return no_content();
}

// -- the routes --------------------------------------------------------------------------------------------

using secret_handler = awaitable<handled> (*)(secret_service* secrets, route_call call);

route_handler on(secret_service* secrets, secret_handler handle) {
    return [secrets, handle](route_call call) {
        return secrets == nullptr ? refuse_without_skills() : handle(secrets, std::move(call));
    };
}

route secret_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/secrets" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "skills";
    made.who = permission::admin;
    return made;
}

}  // namespace

std::vector<route> secret_routes(secret_service* secrets) {
    std::vector<route> routes;

    route listing = secret_route(
        http_method::get, "", "list_secrets", "Secrets and the skills that name them"
    );
    listing.answers = {{200, "By name, without values", secret_list_schema()}};
    listing.handle = on(secrets, list_secrets);
    routes.push_back(std::move(listing));

    route looking = secret_route(
        http_method::get, "/{name}", "get_secret", "A secret and the skills that name it"
    );
    looking.answers = {{200, "Without its value", secret_schema()}};
    looking.handle = on(secrets, get_secret);
    routes.push_back(std::move(looking));

    route putting = secret_route(
        http_method::put,
        "/{name}",
        "put_secret",
        "Stores a value under a name; skills whose pull failed without it are pulled again"
    );
    putting.body = secret_input_schema();
    putting.answers = {
        {200, "In the place of the value before", secret_schema()},
        {201, "A new secret", secret_schema()},
    };
    putting.handle = on(secrets, put_secret);
    routes.push_back(std::move(putting));

    route removing = secret_route(
        http_method::delete_, "/{name}", "remove_secret", "Removes a secret that no skill names"
    );
    removing.answers = {{204, "Gone", std::nullopt}};
    removing.handle = on(secrets, remove_secret);
    routes.push_back(std::move(removing));
    return routes;
}

}  // namespace convene
