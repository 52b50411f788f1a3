// SPDX-License-Identifier: Apache-2.0
// Server workflows: questions, and what their answers say.
#include "app/remote/server_workflows.hpp"

#include <utility>

#include "app/remote/answer_fields.hpp"
#include "app/remote/reports.hpp"
#include "app/remote/server_operation.hpp"
#include "base/json_writer.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

constexpr int not_found = 404;

std::string path_of(const std::string& execution) {
    return "/api/v1/workflow-executions/" + percent_encode(execution);
}

execution_report read_execution(answer_fields& fields, std::string_view document) {
    execution_report read;
    read.id = fields.text("id");
    read.name = fields.text("name");
    read.status = fields.text("status");
    read.initiator = fields.text("initiator");
    read.created_at = fields.text("created_at");
    read.document = document;
    return read;
}

task_report read_task(answer_fields& fields, std::string_view document) {
    task_report read;
    read.key = fields.text("key");
    read.title = fields.text("title");
    read.status = fields.text("status");
    read.outcome = fields.text("result");
    const std::string error = fields.text("error");
    read.outcome = read.outcome.empty() ? error : read.outcome;
    read.document = document;
    return read;
}

}  // namespace

awaitable<outcome<std::vector<execution_report>>> list_executions(server_conversations* asked) {
    api_request request;
    request.path = "/api/v1/workflow-executions?limit=50";
    auto answer = co_await asked->client().ask(std::move(request));
    co_return reports_in(
        std::move(answer),
        "listing the executions",
        "executions",
        read_execution,
        asked->client().server()
    );
}

awaitable<outcome<std::optional<execution_report>>> find_execution(
    server_conversations* asked, std::string id
) {
    api_request request;
    request.path = path_of(id);
    auto answer = co_await asked->client().ask(std::move(request));
    if (answer && answer->problem && answer->problem->status == not_found) {
        co_return std::optional<execution_report>{};
    }
    auto found = report_in(
        std::move(answer), "looking at the execution", read_execution, asked->client().server()
    );
    if (!found) {
        co_return found.error();
    }
    co_return std::optional{*std::move(found)};
}

awaitable<outcome<std::vector<task_report>>> list_tasks(
    server_conversations* asked, std::string execution
) {
    api_request request;
    request.path = path_of(execution) + "/tasks";
    auto answer = co_await asked->client().ask(std::move(request));
    co_return reports_in(
        std::move(answer), "listing the tasks", "tasks", read_task, asked->client().server()
    );
}

awaitable<outcome<execution_report>> cancel_execution(server_conversations* asked, std::string id) {
    api_request request;
    request.method = http_method::post;
    request.path = path_of(id) + "/cancel";
    auto answer = co_await asked->client().ask(std::move(request));
    co_return report_in(
        std::move(answer), "cancelling the execution", read_execution, asked->client().server()
    );
}

awaitable<outcome<execution_report>> start_execution(
    server_conversations* asked, std::string workflow, bool is_draft, std::string key
) {
    api_request request;
    request.method = http_method::post;
    request.path = "/api/v1/workflows/" + percent_encode(workflow) + "/execute";
    json_writer body;
    body.begin_object().key("draft").boolean(is_draft).end_object();
    request.body = body.take().str();
    request.idempotency_key = std::move(key);
    auto answer = co_await asked->client().ask(std::move(request));
    co_return report_in(
        std::move(answer), "executing the workflow", read_execution, asked->client().server()
    );
}

awaitable<outcome<std::string>> session_status_of(
    server_conversations* asked, std::string execution
) {
    api_request request;
    request.path = "/api/v1/rooms/" + percent_encode(execution) + "/session";
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "looking at the session");
    if (!body) {
        co_return body.error();
    }
    answer_fields fields{*body};
    std::string status = fields.text("status");
    if (fields.fault()) {
        co_return unknown_answer(*fields.fault(), asked->client().server());
    }
    co_return status;
}

}  // namespace convene
