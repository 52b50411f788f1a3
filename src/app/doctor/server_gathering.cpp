// SPDX-License-Identifier: Apache-2.0
// Gathering facts from a server's routes.
#include "app/doctor/server_gathering.hpp"

#include <algorithm>
#include <utility>

#include "app/remote/answer_fields.hpp"

namespace convene {

namespace {

api_request get(std::string path) {
    api_request request;
    request.path = std::move(path);
    return request;
}

/// Why an answer is of no use; nothing where it is one.
std::optional<failure> refusal_in(const outcome<api_answer>& answer, std::string_view doing) {
    if (!answer) {
        return answer.error();
    }
    if (answer->problem) {
        return failure_of(*answer->problem, doing);
    }
    return std::nullopt;
}

std::string organization_in(const api_answer& me) {
    answer_fields fields{me.body};
    const json_text organization = fields.object("organization");
    return answer_fields{organization.str()}.text("id");
}

server_facts::lane_totals lanes_in(const api_answer& answer) {
    server_facts::lane_totals totals;
    answer_fields fields{answer.body};
    for (const std::string_view lane : fields.list("lanes")) {
        answer_fields one{lane};
        const std::int64_t lag = one.integer("lag");
        totals.waiting += lag;
        totals.unclaimed += one.flag("holds_claim") ? 0 : lag;
    }
    return totals;
}

std::int64_t count_of(const api_answer& answer, std::string_view list) {
    answer_fields fields{answer.body};
    return std::ssize(fields.list(list));
}

awaitable<void> ask_operation(server_conversations* asked, server_facts* facts) {
    api_client& client = asked->client();
    const auto workers = co_await client.ask(get("/api/v1/admin/workers?state=live"));
    facts->no_operator = refusal_in(workers, "asking for the workers");
    if (facts->no_operator) {
        co_return;
    }
    facts->live_workers = count_of(*workers, "workers");
    const auto lanes = co_await client.ask(get("/api/v1/admin/lanes"));
    if (!refusal_in(lanes, "asking for the lanes")) {
        facts->lanes = lanes_in(*lanes);
    }
    const auto skips = co_await client.ask(get("/api/v1/admin/skips?limit=1"));
    if (!refusal_in(skips, "asking for the skips")) {
        facts->has_skips = count_of(*skips, "skips") != 0;
    }
}

}  // namespace

awaitable<server_facts> ask_how_it_is(server_conversations* asked) {
    api_client& client = asked->client();
    server_facts facts;
    facts.url = client.server().url;
    facts.own_version = CONVENE_VERSION;
    const auto alive = co_await client.ask(get("/livez"));
    facts.unreachable = refusal_in(alive, "asking whether it is alive");
    if (facts.unreachable) {
        co_return facts;
    }
    const auto ready = co_await client.ask(get("/readyz"));
    facts.is_ready = !refusal_in(ready, "asking whether it is ready");
    auto version = co_await asked->version();
    if (version) {
        facts.version = std::move(*version);
    }
    const auto me = co_await client.ask(get("/api/v1/auth/me"));
    facts.unknown_token = refusal_in(me, "asking who the token is");
    if (!facts.unknown_token) {
        facts.organization = organization_in(*me);
        co_await ask_operation(asked, &facts);
    }
    co_return facts;
}

}  // namespace convene
