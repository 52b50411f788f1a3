// SPDX-License-Identifier: Apache-2.0
// Operating a server over its admin routes.
#include "app/remote/server_operation.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/remote/answer_fields.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

std::string_view word_of(lane_verb verb) {
    switch (verb) {
        case lane_verb::pause:
            return "pause";
        case lane_verb::resume:
            return "resume";
        case lane_verb::skip:
            return "skip";
        case lane_verb::redeliver:
            return "redeliver";
        case lane_verb::list:
            break;
    }
    return "";
}

json_text body_of(const lanes_options& how) {
    json_writer out;
    out.begin_object();
    if (how.verb == lane_verb::skip && how.index) {
        out.key("index").integer(*how.index);
    }
    if (how.verb == lane_verb::redeliver && !how.event.empty()) {
        out.key("event_id").string(how.event);
    }
    if (!how.reason.empty()) {
        out.key("reason").string(how.reason);
    }
    out.end_object();
    return out.take();
}

std::optional<wall_time> time_in(answer_fields& fields, std::string_view name) {
    const std::optional<std::string> text = fields.optional_text(name);
    if (!text) {
        return std::nullopt;
    }
    const auto at = parse_rfc3339(*text);
    if (!at) {
        fields.refuse(name);
        return std::nullopt;
    }
    return *at;
}

}  // namespace

outcome<std::string> body_in(outcome<api_answer> answer, std::string_view doing) {
    if (!answer) {
        return answer.error();
    }
    if (answer->problem) {
        return failure_of(*answer->problem, doing);
    }
    return outcome<std::string>{boost::system::in_place_value, std::move(answer->body)};
}

awaitable<outcome<std::vector<lane_report>>> list_lanes(server_conversations* asked) {
    api_request request;
    request.path = "/api/v1/admin/lanes";
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "listing the lanes");
    if (!body) {
        co_return body.error();
    }
    std::vector<lane_report> lanes;
    answer_fields fields{*body};
    for (const std::string_view element : fields.list("lanes")) {
        answer_fields one{element};
        lane_report lane;
        lane.room = room_id{one.text("room_id")};
        lane.delivered = event_index{one.integer("delivered_index")};
        lane.latest = event_index{one.integer("latest_index")};
        lane.paused_at = time_in(one, "paused_at");
        if (one.fault()) {
            fields.refuse("lanes." + *one.fault());
            break;
        }
        if (lane.paused_at || lane.delivered < lane.latest) {
            lanes.push_back(std::move(lane));
        }
    }
    if (fields.fault()) {
        co_return unknown_answer(*fields.fault(), asked->client().server());
    }
    co_return lanes;
}

awaitable<outcome<std::string>> operate_lane(
    server_conversations* asked, room_id room, lanes_options how
) {
    const std::string_view verb = word_of(how.verb);
    api_request request;
    request.method = http_method::post;
    request.path = fmt::format("/api/v1/admin/lanes/{}/{}", percent_encode(room.str()), verb);
    request.body = body_of(how).str();
    // A second one would meet another lane than the first.
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return body_in(std::move(answer), verb);
}

awaitable<outcome<std::vector<lease_report>>> list_leases(
    server_conversations* asked, lease_view view
) {
    api_request request;
    request.path = "/api/v1/admin/leases";
    if (view == lease_view::waiting) {
        request.path += "?view=waiting";
    }
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "listing the leases");
    if (!body) {
        co_return body.error();
    }
    std::vector<lease_report> leases;
    answer_fields fields{*body};
    for (const std::string_view element : fields.list("leases")) {
        answer_fields one{element};
        lease_report lease;
        lease.name = one.text("name");
        lease.kind = one.text("kind");
        const json_text worker = one.object("worker");
        answer_fields of_worker{worker.str()};
        lease.holder = of_worker.text("incarnation");
        lease.host = of_worker.text("host");
        lease.is_of_answerer = of_worker.flag("is_self");
        lease.state = one.text("state");
        lease.purpose = one.text("purpose");
        lease.age_seconds = one.number("age_seconds");
        lease.waiters = one.integer("waiters");
        if (one.fault() || of_worker.fault()) {
            fields.refuse("leases." + (one.fault() ? *one.fault() : *of_worker.fault()));
            break;
        }
        leases.push_back(std::move(lease));
    }
    if (fields.fault()) {
        co_return unknown_answer(*fields.fault(), asked->client().server());
    }
    co_return leases;
}

awaitable<outcome<std::string>> release_lease(server_conversations* asked, leases_options how) {
    const std::string_view rest = how.mode == release_mode::preview ? "dry_run=true" : "reason=";
    api_request request;
    request.method = http_method::delete_;
    request.path = fmt::format("/api/v1/admin/leases/{}?{}", percent_encode(how.released), rest);
    if (how.mode == release_mode::confirmed) {
        request.path += percent_encode(how.reason);
        if (how.otherwise == stubborn_holder::loses_its_session) {
            request.path += "&confirm=true";
        }
        request.lost = when_lost::give_up;
    }
    auto answer = co_await asked->client().ask(std::move(request));
    co_return body_in(std::move(answer), "releasing the lease");
}

std::optional<turn_report> read_turn(std::string json) {
    answer_fields fields{json};
    turn_report turn;
    turn.id = fields.text("id");
    turn.session = fields.text("room_id");
    turn.status = fields.text("status");
    turn.reason = fields.text("reason");
    turn.worker = fields.text("worker");
    turn.attempts = fields.integer("attempts");
    turn.age_seconds = fields.number("age_seconds");
    if (fields.fault()) {
        return std::nullopt;
    }
    turn.json = std::move(json);
    return turn;
}

awaitable<outcome<std::vector<turn_report>>> list_turns(
    server_conversations* asked, std::string status
) {
    api_request request;
    request.path = "/api/v1/admin/turns?limit=500";
    if (!status.empty()) {
        request.path += "&status=" + percent_encode(status);
    }
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "listing the turns");
    if (!body) {
        co_return body.error();
    }
    answer_fields fields{*body};
    std::vector<turn_report> turns;
    for (const std::string_view element : fields.list("turns")) {
        std::optional<turn_report> turn = read_turn(std::string{element});
        if (!turn) {
            fields.refuse("turns");
            break;
        }
        turns.push_back(*std::move(turn));
    }
    if (fields.fault()) {
        co_return unknown_answer(*fields.fault(), asked->client().server());
    }
    co_return turns;
}

awaitable<outcome<std::string>> retry_turn(server_conversations* asked, turns_options how) {
    json_writer body;
    body.begin_object();
    if (!how.reason.empty()) {
        body.key("reason").string(how.reason);
    }
    body.end_object();
    api_request request;
    request.method = http_method::post;
    request.path = fmt::format("/api/v1/admin/turns/{}/retry", percent_encode(how.retried));
    request.body = body.take().str();
    // A second one would find it queued.
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return body_in(std::move(answer), "retrying the turn");
}

awaitable<outcome<std::vector<approval_report>>> list_approvals(
    server_conversations* asked, approval_filter which
) {
    std::vector<approval_report> approvals;
    std::string cursor;
    do {
        api_request request;
        request.path = "/api/v1/approvals?limit=200";
        request.path += which.status.empty() ? "" : "&status=" + percent_encode(which.status);
        request.path += which.room.empty() ? "" : "&room_id=" + percent_encode(which.room);
        request.path += cursor.empty() ? "" : "&cursor=" + percent_encode(cursor);
        auto answer = co_await asked->client().ask(std::move(request));
        const auto body = body_in(std::move(answer), "listing the approvals");
        if (!body) {
            co_return body.error();
        }
        answer_fields fields{*body};
        for (const std::string_view element : fields.list("approvals")) {
            answer_fields one{element};
            approval_report report;
            report.id = one.text("id");
            report.room = one.text("room_id");
            report.kind = one.text("kind");
            report.title = one.text("title");
            report.description = one.optional_text("description").value_or("");
            report.status = one.text("status");
            report.expires_at = time_in(one, "expires_at");
            report.as_told = element;
            if (one.fault()) {
                fields.refuse("approvals." + *one.fault());
                break;
            }
            approvals.push_back(std::move(report));
        }
        cursor = fields.optional_text("next_cursor").value_or("");
        if (fields.fault()) {
            co_return unknown_answer(*fields.fault(), asked->client().server());
        }
    } while (!cursor.empty());
    co_return approvals;
}

awaitable<outcome<std::string>> decide_approval(
    server_conversations* asked, approvals_options how
) {
    const std::string_view status = how.verb == approval_verb::approve  ? "approved"
                                    : how.verb == approval_verb::reject ? "rejected"
                                                                        : "returned";
    json_writer body;
    body.begin_object().key("status").string(status);
    if (!how.response.empty()) {
        const auto given = json_document::parse(how.response, "response");
        body.key("response");
        if (given) {
            body.json(given->text());
        } else {
            body.string(how.response);
        }
    }
    body.end_object();
    api_request request;
    request.method = http_method::patch;
    request.path = "/api/v1/approvals/" + percent_encode(how.approval);
    request.body = body.take().str();
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return body_in(std::move(answer), "deciding");
}

}  // namespace convene
