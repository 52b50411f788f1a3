// SPDX-License-Identifier: Apache-2.0
// The router: what is checked before a handler runs, and what every answer has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "http/uri.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;

// A path that does not exist is a 404; one that has other methods says which.
// Proves: R16
TEST(Router, AWrongPathAndAWrongMethodAreTold) {
    http_scene scene;
    EXPECT_EQ(scene.get("/api/v1/nothing").code(), "NOT_FOUND");
    EXPECT_EQ(scene.get("/api/v1/rooms/").status, 404);
    const seen_reply wrong = scene.put("/api/v1/rooms", "{}");
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(wrong.code(), "METHOD_NOT_ALLOWED");
    EXPECT_EQ(wrong.header("allow"), "GET, HEAD, OPTIONS, POST");
    const seen_reply options = scene.ask(
        http_scene::request(http_method::options, "/api/v1/rooms", "")
    );
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.header("allow"), "GET, HEAD, OPTIONS, POST");
}

// HEAD answers as GET does, without the body.
// Proves: R14
TEST(Router, HeadIsGetWithoutABody) {
    http_scene scene;
    scene.make_room();
    const seen_reply head = scene.ask(
        http_scene::request(http_method::head, "/api/v1/rooms/r", "ann")
    );
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("content-type"), "application/json");
    EXPECT_TRUE(head.body.empty());
}

// Nobody, or nobody known, is asking: 401. What is public needs nobody, and does not ask who.
// Proves: X1
TEST(Router, WhoIsAskingMustBeKnown) {
    http_scene scene;
    EXPECT_EQ(scene.get("/api/v1/rooms", "").code(), "UNAUTHENTICATED");
    EXPECT_EQ(scene.get("/api/v1/rooms", "mallory").status, 401);
    const int asked = scene.callers.asked;
    EXPECT_EQ(scene.get("/livez", "").status, 200);
    EXPECT_EQ(scene.callers.asked, asked);
}

// A browser's session without its CSRF token reads, and changes nothing.
// Proves: X1
TEST(Router, ASessionWithoutItsProofChangesNothing) {
    http_scene scene;
    scene.callers.callers["ann"].csrf = csrf_state::missing;
    EXPECT_EQ(scene.get("/api/v1/rooms").status, 200);
    EXPECT_EQ(scene.post("/api/v1/rooms", "{}").code(), "FORBIDDEN");
    EXPECT_TRUE(scene.get("/api/v1/rooms", "token").list("rooms").empty());
}

// Roles are held against the route: operators see lanes, only admins repair.
// Proves: X1
TEST(Router, ARoleOpensWhatItMay) {
    http_scene scene;
    EXPECT_EQ(scene.get("/api/v1/admin/lanes", "ann").status, 403);
    EXPECT_EQ(scene.get("/api/v1/admin/lanes", "olga").status, 200);
    EXPECT_EQ(scene.post("/api/v1/admin/events/dedupe", "{}", "olga").status, 403);
    EXPECT_EQ(scene.post("/api/v1/admin/events/dedupe", "{}", "adam").text("action"), "dry_run");
}

// A caller that asks too often waits; another one does not, and the health checks never do.
// Proves: X3
TEST(Router, EachCallerHasItsOwnRate) {
    http_scene scene{{1, 3}};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(scene.get("/api/v1/rooms").status, 200);
    }
    const seen_reply refused = scene.get("/api/v1/rooms");
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.code(), "RATE_LIMITED");
    EXPECT_EQ(refused.header("retry-after"), "1");
    EXPECT_EQ(scene.get("/api/v1/rooms", "bob").status, 200);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(scene.get("/livez", "").status, 200);
    }
    scene.loop.advance(std::chrono::seconds{1});
    EXPECT_EQ(scene.get("/api/v1/rooms").status, 200);
}

// An unknown query parameter, one sent twice and one out of its range are refused by name.
// Proves: R16
TEST(Router, QueryParametersAreHeldAgainstTheRoute) {
    http_scene scene;
    EXPECT_EQ(scene.get("/api/v1/rooms?limits=5").fault(), "limits: unknown_field");
    EXPECT_EQ(scene.get("/api/v1/rooms?limit=5&limit=6").fault(), "limit: duplicate_key");
    EXPECT_EQ(scene.get("/api/v1/rooms?limit=201").fault(), "limit: out_of_range");
    EXPECT_EQ(scene.get("/api/v1/rooms?limit=ten").fault(), "limit: wrong_type");
    EXPECT_EQ(scene.get("/api/v1/rooms?status=open").fault(), "status: unknown_value");
    EXPECT_EQ(scene.get("/api/v1/rooms?status=%").fault(), "status: malformed");
    EXPECT_EQ(scene.get("/api/v1/rooms?status=%FF").fault(), "status: invalid_utf8");
    EXPECT_EQ(scene.get("/api/v1/rooms?status=a%00").fault(), "status: nul_character");
    EXPECT_EQ(scene.get("/api/v1/rooms?cursor=AAAA").fault(), "cursor: malformed");
    EXPECT_EQ(scene.get("/api/v1/rooms?limit=5").status, 200);
}

// An id in a path may be anything that an id may be, encoded; what is none is refused by its name.
// Proves: R16
TEST(Router, PathParametersAreDecoded) {
    http_scene scene;
    const seen_reply made = scene.post("/api/v1/rooms", R"({"id":"a b/c"})");
    EXPECT_EQ(made.header("location"), "/api/v1/rooms/a%20b%2Fc");
    EXPECT_EQ(scene.get("/api/v1/rooms/a%20b%2Fc").text("id"), "a b/c");
    EXPECT_EQ(scene.get("/api/v1/rooms/a%2").fault(), "room_id: malformed");
    EXPECT_EQ(scene.get("/api/v1/rooms/a%0A").fault(), "room_id: control_character");
    EXPECT_EQ(scene.get("/api/v1/rooms/%C3").fault(), "room_id: invalid_utf8");
}

// A body must be there, be JSON, and say so.
// Proves: R16
TEST(Router, ABodyMustBeJson) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.post("/api/v1/rooms/r/events", "").fault(), "body: missing_field");
    const seen_reply broken = scene.post("/api/v1/rooms/r/events", "{");
    EXPECT_EQ(broken.status, 400);
    EXPECT_EQ(broken.code(), "INVALID_JSON");
    http_request form = http_scene::request(http_method::post, "/api/v1/rooms", "ann", "a=b");
    form.headers.set("content-type", "application/x-www-form-urlencoded");
    EXPECT_EQ(scene.ask(std::move(form)).code(), "UNSUPPORTED_MEDIA_TYPE");
    http_request charset = http_scene::request(http_method::post, "/api/v1/rooms", "ann", "{}");
    charset.headers.set("content-type", "Application/JSON; charset=utf-8");
    EXPECT_EQ(scene.ask(std::move(charset)).status, 201);
    EXPECT_EQ(scene.post("/api/v1/rooms/r/close", R"({"now":true})").fault(), "now: unknown_field");
    http_request keyed = http_scene::request(http_method::post, "/api/v1/rooms", "ann", "{}");
    keyed.headers.add("idempotency-key", "a\x7F");
    EXPECT_EQ(scene.ask(std::move(keyed)).fault(), "Idempotency-Key: control_character");
}

// Every answer has a request's id: the caller's where it is harmless, else ours.
// Proves: O2
TEST(Router, EveryAnswerHasARequestId) {
    http_scene scene;
    http_request asked = http_scene::request(http_method::get, "/api/v1/rooms", "ann");
    asked.headers.add("x-request-id", "abc-1");
    EXPECT_EQ(scene.ask(std::move(asked)).header("x-request-id"), "abc-1");
    http_request odd = http_scene::request(http_method::get, "/api/v1/nothing", "ann");
    odd.headers.add("x-request-id", "a\nb");
    const seen_reply reply = scene.ask(std::move(odd));
    EXPECT_EQ(reply.header("x-request-id").size(), 36U);
    EXPECT_EQ(reply.header("x-content-type-options"), "nosniff");
    EXPECT_EQ(reply.header("cache-control"), "no-store");
}

// A request is one line in the log, with its route and never its path, and without a secret.
// Proves: O2, X3
TEST(Router, ARequestIsOneLineInTheLog) {
    http_scene scene;
    scene.make_room();
    std::vector<std::string> lines;
    set_log_format(log_format::json);
    set_log_sink([&](log_level, std::string_view line) { lines.emplace_back(line); });
    http_request asked = http_scene::request(http_method::get, "/api/v1/rooms/r", "ann");
    asked.headers.add("x-request-id", "abc-1");
    scene.ask(std::move(asked));
    set_log_sink({});
    set_log_format(log_format::text);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(find_text(lines[0], "event"), "http.request");
    EXPECT_EQ(find_text(lines[0], "request_id"), "abc-1");
    EXPECT_EQ(find_text(lines[0], "route"), "/api/v1/rooms/{room_id}");
    EXPECT_EQ(find_text(lines[0], "method"), "GET");
    EXPECT_EQ(find_member(lines[0], "status"), "200");
    EXPECT_THAT(lines[0], testing::Not(HasSubstr("Bearer")));
}

// A server that stops refuses what would start work, and still answers what only reads.
// Proves: O3
TEST(Router, DrainingRefusesWork) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.get("/readyz", "").text("status"), "ready");
    scene.surface->front().start_draining();
    const seen_reply refused = scene.say("late");
    EXPECT_EQ(refused.status, 503);
    EXPECT_EQ(refused.code(), "DRAINING");
    EXPECT_EQ(refused.text("retryable"), "true");
    EXPECT_EQ(scene.get("/api/v1/rooms/r").status, 200);
    EXPECT_EQ(scene.get("/readyz", "").status, 503);
    EXPECT_EQ(scene.get("/livez", "").status, 200);
}

// A query string is decoded pair by pair; a plus is a space there, and nowhere else.
// Proves: R16
TEST(Uri, QueriesAreDecoded) {
    const auto values = parse_query("a=1+2&b=%2B&&c").value();
    ASSERT_EQ(values.size(), 3U);
    EXPECT_EQ(values[0].second, "1 2");
    EXPECT_EQ(values[1].second, "+");
    EXPECT_EQ(values[2].first, "c");
    EXPECT_EQ(percent_decode("a+b%3a", plus_sign::is_plus), "a+b:");
    EXPECT_EQ(percent_decode("%4", plus_sign::is_plus), std::nullopt);
    EXPECT_EQ(percent_decode("%+1", plus_sign::is_plus), std::nullopt);
}

}  // namespace
}  // namespace convene
