// SPDX-License-Identifier: Apache-2.0
// Skills of a server over its routes.
#include "app/remote/server_skills.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/remote/answer_fields.hpp"
#include "app/remote/reports.hpp"
#include "app/remote/server_operation.hpp"
#include "base/json_writer.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

constexpr std::string_view all_skills = "/api/v1/skills";

skill_report read_skill(answer_fields& fields, std::string_view whole) {
    skill_report read;
    read.id = fields.text("id");
    read.name = fields.text("name");
    read.state = fields.text("state");
    read.revision = fields.text("revision");
    read.error = fields.text("error");
    read.error_detail = fields.text("error_detail");
    read.url = fields.text("url");
    read.json = whole;
    return read;
}

json_text body_of(const skills_options& how, const std::string& password) {
    json_writer out;
    out.begin_object();
    out.key("name").string(how.skill);
    out.key("url").string(how.url);
    for (const auto& [name, value] : {
             std::pair<std::string_view, const std::string&>{"reference", how.reference},
             {"path", how.path},
             {"username", how.username},
             {"password", password},
             {"secret", how.secret},
         }) {
        if (!value.empty()) {
            out.key(name).string(value);
        }
    }
    out.end_object();
    return out.take();
}

std::string_view query_of(pull_patience waits) {
    return waits == pull_patience::until_ended ? "?wait=ready" : "";
}

/// The skill that a server answers to a change. Not sent twice: a second one would make another.
awaitable<outcome<skill_report>> ask_for_skill(
    server_conversations* asked, api_request request, std::string doing
) {
    request.method = http_method::post;
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return report_in(std::move(answer), doing, read_skill, asked->client().server());
}

}  // namespace

awaitable<outcome<std::vector<skill_report>>> list_skills(server_conversations* asked) {
    api_request request;
    request.path = all_skills;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return reports_in(
        std::move(answer), "listing the skills", "skills", read_skill, asked->client().server()
    );
}

awaitable<outcome<skill_report>> add_skill(
    server_conversations* asked, skills_options how, std::string password
) {
    api_request request;
    request.path = fmt::format("{}{}", all_skills, query_of(how.waits));
    request.body = body_of(how, password).str();
    auto added = co_await ask_for_skill(asked, std::move(request), "adding the skill");
    co_return added;
}

awaitable<outcome<skill_report>> pull_skill(
    server_conversations* asked, std::string id, pull_patience waits
) {
    api_request request;
    request.path = fmt::format("{}/{}/pull{}", all_skills, percent_encode(id), query_of(waits));
    auto wanted = co_await ask_for_skill(asked, std::move(request), "pulling the skill");
    co_return wanted;
}

awaitable<outcome<>> remove_skill(server_conversations* asked, std::string id) {
    api_request request;
    request.method = http_method::delete_;
    request.path = fmt::format("{}/{}", all_skills, percent_encode(id));
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "removing the skill");
    if (!body) {
        co_return body.error();
    }
    co_return outcome<>{};
}

}  // namespace convene
