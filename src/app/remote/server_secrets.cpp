// SPDX-License-Identifier: Apache-2.0
// Secrets of a server over their routes.
#include "app/remote/server_secrets.hpp"

#include <utility>

#include "app/remote/answer_fields.hpp"
#include "app/remote/reports.hpp"
#include "app/remote/server_operation.hpp"
#include "base/json_writer.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

std::string path_of(const std::string& name) { return "/api/v1/secrets/" + percent_encode(name); }

secret_report read_secret(answer_fields& fields, std::string_view whole) {
    secret_report read;
    read.name = fields.text("name");
    read.description = fields.text("description");
    read.updated_at = fields.text("updated_at");
    for (const std::string_view element : fields.list("used_by")) {
        answer_fields user{element};
        read.used_by.push_back(user.text("name"));
        if (user.fault()) {
            fields.refuse("used_by." + *user.fault());
            break;
        }
    }
    read.json = whole;
    return read;
}

}  // namespace

awaitable<outcome<std::vector<secret_report>>> list_secrets(server_conversations* asked) {
    api_request request;
    request.path = "/api/v1/secrets";
    auto answer = co_await asked->client().ask(std::move(request));
    co_return reports_in(
        std::move(answer), "listing the secrets", "secrets", read_secret, asked->client().server()
    );
}

awaitable<outcome<secret_report>> set_secret(
    server_conversations* asked, std::string name, std::string value, std::string description
) {
    json_writer out;
    out.begin_object();
    out.key("value").string(value);
    out.key("description").string(description);
    out.end_object();
    api_request request;
    request.method = http_method::put;
    request.path = path_of(name);
    request.body = out.take().str();
    auto answer = co_await asked->client().ask(std::move(request));
    co_return report_in(
        std::move(answer), "setting the secret", read_secret, asked->client().server()
    );
}

awaitable<outcome<>> remove_secret(server_conversations* asked, std::string name) {
    api_request request;
    request.method = http_method::delete_;
    request.path = path_of(name);
    // A second one would find none.
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "removing the secret");
    if (!body) {
        co_return body.error();
    }
    co_return outcome<>{};
}

}  // namespace convene
