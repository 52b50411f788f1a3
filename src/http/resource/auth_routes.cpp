// SPDX-License-Identifier: Apache-2.0
// Logging in and out over HTTP.
#include <iterator>
#include <utility>

#include "access/csrf.hpp"
#include "access/password.hpp"
#include "access/session_cookie.hpp"
#include "http/resource/access_routes.hpp"
#include "http/view/access_view.hpp"

namespace convene {

namespace {

schema login_schema() {
    return schema::input(
        "Login",
        {optional("email", schema::text({1, 1024})),
         optional("password", schema::text({1, max_password_bytes})),
         optional("link_token", schema::text({1, 256}), "Instead of email and password")}
    );
}

schema new_password_schema() {
    return schema::input(
        "NewPassword",
        {required("link_token", schema::text({1, 256}), "Of an invitation or a reset"),
         required("password", schema::text({1, max_password_bytes}), "10 characters or more")}
    );
}

/// A refused login says how long to wait, where that is why.
problem login_problem(
    const access_route_parts& parts, error_code code, std::string_view peer, std::string_view email
) {
    problem what = problem_of(code);
    if (code == errc::too_many_attempts) {
        what.retry_after = std::max(
            parts.service->login_wait(peer, email), std::chrono::seconds{1}
        );
    }
    return what;
}

/// `me`, with the session's cookie.
awaitable<handled> welcome(access_route_parts parts, logged_in opened, http_request request) {
    const auto around = co_await parts.service->organization_of(opened.who);
    if (!around) {
        co_return problem_of(around.error());
    }
    http_response answer = json_answer(
        200, me_as_json(principal_of(opened.who), *around, opened.csrf_token)
    );
    answer.headers.set(
        "set-cookie",
        session_cookie(
            opened.session_secret,
            parts.service->settings().session_lifetime,
            security_of(request, parts.transport)
        )
    );
    co_return answer;
}

awaitable<handled> log_in(access_route_parts parts, route_call call) {
    const std::string peer = call.request.peer;
    const std::string email = call.body->text("email").value_or("");
    std::string password = call.body->text("password").value_or("");
    std::string link = call.body->text("link_token").value_or("");
    const bool by_password = !email.empty() && !password.empty() && link.empty();
    const bool by_link = !link.empty() && email.empty() && password.empty();
    if (!by_password && !by_link) {
        co_return validation_problem(
            email.empty() ? "email" : "password", boundary_reason::missing_field
        );
    }
    auto attempt = by_link ? parts.service->log_in_by_link(std::move(link), peer)
                           : parts.service->log_in(email, std::move(password), peer);
    result<logged_in> opened = co_await std::move(attempt);
    if (!opened) {
        co_return login_problem(parts, opened.error(), peer, email);
    }
    auto answering = welcome(std::move(parts), *std::move(opened), std::move(call.request));
    handled answer = co_await std::move(answering);
    co_return answer;
}

awaitable<handled> set_password(access_route_parts parts, route_call call) {
    const std::string peer = call.request.peer;
    std::string link = call.body->text("link_token").value_or("");
    std::string password = call.body->text("password").value_or("");
    const checked<> allowed = check_password(password, "password");
    if (!allowed) {
        co_return problem_of(allowed.error());
    }
    auto attempt = parts.service->set_password(std::move(link), std::move(password), peer);
    result<logged_in> opened = co_await std::move(attempt);
    if (!opened) {
        co_return login_problem(parts, opened.error(), peer, "");
    }
    auto answering = welcome(std::move(parts), *std::move(opened), std::move(call.request));
    handled answer = co_await std::move(answering);
    co_return answer;
}

schema password_change_schema() {
    return schema::input(
        "PasswordChange",
        {optional(
             "current_password",
             schema::text({1, max_password_bytes}),
             "Needed by a user who has a password"
         ),
         required("password", schema::text({1, max_password_bytes}), "10 characters or more")}
    );
}

awaitable<handled> change_password(access_route_parts parts, route_call call) {
    const std::string peer = call.request.peer;
    std::string current = call.body->text("current_password").value_or("");
    std::string password = call.body->text("password").value_or("");
    const checked<> allowed = check_password(password, "password");
    if (!allowed) {
        co_return problem_of(allowed.error());
    }
    if (!call.who.is_user()) {
        co_return forbidden_problem("a token has no password: log in");
    }
    auto attempt = parts.service->change_password(
        caller_of(call), std::move(current), std::move(password)
    );
    result<logged_in> opened = co_await std::move(attempt);
    if (!opened) {
        co_return login_problem(parts, opened.error(), peer, call.who.user_email);
    }
    auto answering = welcome(std::move(parts), *std::move(opened), std::move(call.request));
    handled answer = co_await std::move(answering);
    co_return answer;
}

awaitable<handled> log_out(access_route_parts parts, route_call call) {
    const result<> ended = co_await parts.service->log_out(caller_of(call));
    if (!ended) {
        co_return problem_of(ended.error());
    }
    http_response answer = no_content();
    answer.headers.set(
        "set-cookie", removed_session_cookie(security_of(call.request, parts.transport))
    );
    co_return answer;
}

awaitable<handled> show_me(access_route_parts parts, route_call call) {
    const auto around = co_await parts.service->organization_of(signed_in_of(call.who));
    if (!around) {
        co_return problem_of(around.error());
    }
    std::string csrf;
    if (call.who.is_user()) {
        const auto cookie = call.request.headers.find("cookie");
        csrf = csrf_value(session_secret_in(cookie.value_or("")).value_or(""));
    }
    co_return json_answer(200, me_as_json(call.who, *around, csrf));
}

route auth_route(http_method method, std::string path, std::string operation, std::string summary) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/auth/" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "auth";
    return made;
}

}  // namespace

std::vector<route> auth_routes(access_route_parts parts) {
    std::vector<route> routes;

    route entering = auth_route(
        http_method::post, "login", "log_in", "Logs in with a password or a link"
    );
    entering.who = permission::anyone;
    entering.body = login_schema();
    entering.answers = {{200, "Sets the session's cookie", me_schema()}};
    entering.handle = on(parts, log_in);
    routes.push_back(std::move(entering));

    route choosing = auth_route(
        http_method::post, "password", "set_password", "Sets a password by a link, and logs in"
    );
    choosing.who = permission::anyone;
    choosing.body = new_password_schema();
    choosing.answers = {{200, "Sets the session's cookie", me_schema()}};
    choosing.handle = on(parts, set_password);
    routes.push_back(std::move(choosing));

    route changing = auth_route(
        http_method::post, "me/password", "change_password", "Sets another password of one's own"
    );
    changing.body = password_change_schema();
    changing.answers = {{200, "Ends other sessions, and sets this one's cookie", me_schema()}};
    changing.handle = on(parts, change_password);
    routes.push_back(std::move(changing));

    route leaving = auth_route(http_method::post, "logout", "log_out", "Ends the session");
    leaving.answers = {{204, "Ended", std::nullopt}};
    leaving.handle = on(parts, log_out);
    routes.push_back(std::move(leaving));

    route showing = auth_route(http_method::get, "me", "get_me", "Who is asking");
    showing.answers = {{200, "The user, or the token's organisation", me_schema()}};
    showing.handle = on(parts, show_me);
    routes.push_back(std::move(showing));
    return routes;
}

access_caller caller_of(const route_call& call) {
    return {signed_in_of(call.who), call.request.peer};
}

std::vector<route> access_routes(const access_route_parts& parts) {
    std::vector<route> routes;
    for (const auto list : {auth_routes, user_routes, token_routes, organization_routes}) {
        std::vector<route> more = list(parts);
        std::move(more.begin(), more.end(), std::back_inserter(routes));
    }
    return routes;
}

}  // namespace convene
