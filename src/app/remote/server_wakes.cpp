// SPDX-License-Identifier: Apache-2.0
// Wakes of a server's room over their routes.
#include "app/remote/server_wakes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "app/remote/answer_fields.hpp"
#include "app/remote/reports.hpp"
#include "app/remote/server_operation.hpp"
#include "base/json_writer.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

std::string path_of(const room_id& room) {
    return fmt::format("/api/v1/rooms/{}/agent/wakes", percent_encode(room.str()));
}

wake_report read_wake(answer_fields& fields, std::string_view whole) {
    wake_report read;
    read.id = fields.text("id");
    read.at = fields.time("at");
    read.acting_for = fields.text("acting_for");
    read.text = fields.text("text");
    read.json = whole;
    return read;
}

json_text body_of(const wakes_options& how) {
    json_writer out;
    out.begin_object();
    if (how.in) {
        out.key("in_seconds").integer(std::chrono::ceil<std::chrono::seconds>(*how.in).count());
    } else {
        out.key("at").string(how.at);
    }
    out.key("text").string(how.said);
    out.end_object();
    return out.take();
}

}  // namespace

awaitable<outcome<std::vector<wake_report>>> list_wakes(server_conversations* asked, room_id room) {
    api_request request;
    request.path = path_of(room);
    auto answer = co_await asked->client().ask(std::move(request));
    co_return reports_in(
        std::move(answer), "listing the wakes", "wakes", read_wake, asked->client().server()
    );
}

awaitable<outcome<wake_report>> set_wake(
    server_conversations* asked, room_id room, wakes_options how
) {
    api_request request;
    request.method = http_method::post;
    request.path = path_of(room);
    request.body = body_of(how).str();
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    co_return report_in(std::move(answer), "setting the wake", read_wake, asked->client().server());
}

awaitable<outcome<>> cancel_wake(server_conversations* asked, room_id room, std::string id) {
    api_request request;
    request.method = http_method::delete_;
    request.path = fmt::format("{}/{}", path_of(room), percent_encode(id));
    // A second one would find none.
    request.lost = when_lost::give_up;
    auto answer = co_await asked->client().ask(std::move(request));
    const auto body = body_in(std::move(answer), "taking the wake back");
    if (!body) {
        co_return body.error();
    }
    co_return outcome<>{};
}

}  // namespace convene
