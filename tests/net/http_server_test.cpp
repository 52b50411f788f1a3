// SPDX-License-Identifier: Apache-2.0
// The server on real sockets: what it answers, what it refuses, and when it gives up waiting.
#include "net/http_server.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "base/log.hpp"
#include "net/server_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Answers with what it saw.
awaitable<http_answer> describe_request(http_request request) {
    http_response response;
    response.headers.add("content-type", "text/plain");
    response.body = std::string{word_of(request.method)} + " " + request.path + "?" +
                    request.query + " [" + request.body + "]";
    co_return response;
}

http_handler describing() {
    return [](http_request request) { return describe_request(std::move(request)); };
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

// -- answers ------------------------------------------------------------------------------------------

// A request is answered with a length and a date, and the connection serves the next one.
// Proves: O2
TEST(HttpServer, AnswersAndKeepsTheConnection) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        for (int i = 0; i < 3; ++i) {
            co_await peer->send("GET /a/b?c=d HTTP/1.1\r\nHost: x\r\n\r\n");
            const std::string answer = co_await peer->receive_answer();
            EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\ndate: ")) << answer;
            EXPECT_TRUE(contains(answer, "\r\ncontent-length: 15\r\n")) << answer;
            EXPECT_FALSE(contains(answer, "connection:")) << answer;
            EXPECT_EQ(body_of(answer), "GET /a/b?c=d []");
        }
    };
    scene.run(test(client.get()));
    EXPECT_EQ(scene.server.counters().requests, 3U);
    EXPECT_EQ(scene.server.counters().connections_accepted, 1U);
    EXPECT_EQ(scene.server.counters().bytes_in, 3U * 34U);
}

// Requests that come together are answered one after the other, in their order, from one read.
TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send(
            "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
            "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
            "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        );
        const std::string all = co_await peer->receive_all();
        const std::size_t first = all.find("GET /1? []");
        const std::size_t second = all.find("POST /2? [abc]");
        const std::size_t third = all.find("GET /3? []");
        EXPECT_LT(first, second);
        EXPECT_LT(second, third);
        EXPECT_NE(third, std::string::npos);
    };
    scene.run(test(client.get()));
}

// A request that comes byte by byte is the same request.
TEST(HttpServer, UnderstandsARequestInPieces) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        const std::string whole =
            "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            "3\r\nabc\r\n2;a=b\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n";
        for (const char c : whole) {
            co_await peer->send(std::string(1, c));
            const result<> yielded = co_await yield_turn();
            EXPECT_TRUE(yielded.has_value());
        }
        const std::string answer = co_await peer->receive_all();
        EXPECT_EQ(body_of(answer), "POST /p? [abcde]");
        EXPECT_TRUE(contains(answer, "connection: close\r\n"));
    };
    scene.run(test(client.get()));
}

// HEAD is told the length of the body that GET would have, and gets none.
TEST(HttpServer, AnswersHeadWithoutABody) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(contains(answer, "content-length: 11\r\n")) << answer;
        EXPECT_EQ(body_of(answer), "");
    };
    scene.run(test(client.get()));
}

// Who waits for a go-ahead gets it once, and none when the body would be refused.
TEST(HttpServer, SaysContinueToWhoWaitsForIt) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    const auto greedy = scene.connect();
    auto test = [](raw_client* peer, raw_client* second) -> awaitable<void> {
        co_await peer->send(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
        );
        const std::string go_ahead = co_await peer->receive("\r\n\r\n", 1);
        EXPECT_EQ(go_ahead, "HTTP/1.1 100 Continue\r\n\r\n");
        co_await peer->send("body");
        const std::string answer = co_await peer->receive_answer();
        EXPECT_EQ(body_of(answer), "POST /? [body]");

        co_await second->send(
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n"
        );
        const std::string refused = co_await second->receive_all();
        EXPECT_TRUE(refused.starts_with("HTTP/1.1 413 ")) << refused;
        EXPECT_NE(refused.find(R"("code":"PAYLOAD_TOO_LARGE")"), std::string::npos) << refused;
    };
    scene.run(test(client.get(), greedy.get()));
}

http_server_settings large_on_upload() {
    http_server_settings settings;
    settings.limits.body_bytes = 10;
    settings.limits.large_body_bytes = 20;
    settings.limits.takes_large_body = [](http_method method, std::string_view path) {
        return method == http_method::post && path == "/upload";
    };
    settings.max_large_bodies = 1;
    return settings;
}

std::string post_of(const std::string& path, std::size_t size, const std::string& more = {}) {
    return "POST " + path + " HTTP/1.1\r\nHost: x\r\n" + more +
           "Content-Length: " + std::to_string(size) + "\r\n\r\n";
}

// Bodies may be larger where it was said, up to a limit of their own, if they say how large they are.
// Proves: R20
TEST(HttpServer, TakesLargeBodiesWhereItWasSaid) {
    server_scene scene{describing(), large_on_upload()};
    const auto client = scene.connect();
    const auto other = scene.connect();
    const auto chunked = scene.connect();
    const auto greedy = scene.connect();
    auto test =
        [](raw_client* peer, raw_client* elsewhere, raw_client* in_chunks, raw_client* too_much
        ) -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
            co_await peer->send(post_of("/upload", 20) + std::string(20, 'x'));
            const std::string answer = co_await peer->receive_answer();
            EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
        }
        co_await elsewhere->send(post_of("/other", 20));
        const std::string refused = co_await elsewhere->receive_all();
        EXPECT_TRUE(refused.starts_with("HTTP/1.1 413 ")) << refused;
        co_await in_chunks->send(
            "POST /upload HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            "b\r\n12345678901\r\n0\r\n\r\n"
        );
        const std::string unknown = co_await in_chunks->receive_all();
        EXPECT_TRUE(unknown.starts_with("HTTP/1.1 413 ")) << unknown;
        co_await too_much->send(post_of("/upload", 21));
        const std::string most = co_await too_much->receive_all();
        EXPECT_TRUE(most.starts_with("HTTP/1.1 413 ")) << most;
    };
    scene.run(test(client.get(), other.get(), chunked.get(), greedy.get()));
}

// A large body is not read before somebody was asked whether its sender may send it; no go-ahead is given either.
// Proves: R20, X1
TEST(HttpServer, AsksBeforeALargeBody) {
    http_server_settings settings = large_on_upload();
    settings.admit_large_body = [](http_request head) -> awaitable<std::optional<http_response>> {
        if (head.headers.find("authorization") && head.path == "/upload") {
            co_return std::nullopt;
        }
        http_response refusal;
        refusal.status = 401;
        refusal.body = "who?";
        co_return refusal;
    };
    server_scene scene{describing(), settings};
    const auto client = scene.connect();
    const auto stranger = scene.connect();
    auto test = [](raw_client* peer, raw_client* unknown) -> awaitable<void> {
        co_await unknown->send(post_of("/upload", 20, "Expect: 100-continue\r\n"));
        const std::string refused = co_await unknown->receive_all();
        EXPECT_TRUE(refused.starts_with("HTTP/1.1 401 ")) << refused;
        EXPECT_EQ(body_of(refused), "who?");
        co_await peer->send(post_of("/upload", 20, "Authorization: me\r\n") + std::string(20, 'x'));
        const std::string answer = co_await peer->receive_answer();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
    };
    scene.run(test(client.get(), stranger.get()));
}

// So many large bodies and no more are held at once; a place is free again once its request was answered, or its sender
// has left.
// Proves: R20
TEST(HttpServer, HoldsSoManyLargeBodies) {
    server_scene scene{describing(), large_on_upload()};
    const auto first = scene.connect();
    const auto second = scene.connect();
    const auto third = scene.connect();
    const auto fourth = scene.connect();
    auto test = [](http_server* server,
                   raw_client* holding,
                   raw_client* late,
                   raw_client* next,
                   raw_client* last) -> awaitable<void> {
        co_await holding->send(post_of("/upload", 20, "Expect: 100-continue\r\n"));
        const std::string go_ahead = co_await holding->receive("\r\n\r\n", 1);
        EXPECT_EQ(go_ahead, "HTTP/1.1 100 Continue\r\n\r\n");
        co_await late->send(post_of("/upload", 20));
        const std::string refused = co_await late->receive_all();
        EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
        co_await holding->send(std::string(20, 'x'));
        const std::string answer = co_await holding->receive_answer();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
        co_await next->send(post_of("/upload", 20, "Expect: 100-continue\r\n"));
        const std::string again = co_await next->receive("\r\n\r\n", 1);
        EXPECT_EQ(again, "HTTP/1.1 100 Continue\r\n\r\n");
        next->reset();
        auto gone = eventually([server] { return server->counters().connections_open == 2; });
        const bool is_gone = co_await std::move(gone);
        EXPECT_TRUE(is_gone);
        co_await last->send(post_of("/upload", 20) + std::string(20, 'x'));
        const std::string served = co_await last->receive_answer();
        EXPECT_TRUE(served.starts_with("HTTP/1.1 200 ")) << served;
    };
    scene.run(test(&scene.server, first.get(), second.get(), third.get(), fourth.get()));
}

// An old client is answered and left.
TEST(HttpServer, ClosesAfterAnHttp10Request) {
    server_scene scene{describing()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(answer.starts_with("HTTP/1.0 200 OK")) << answer;
        EXPECT_TRUE(contains(answer, "connection: close\r\n"));
    };
    scene.run(test(client.get()));
}

awaitable<http_answer> answer_large(http_request) {
    http_response response;
    response.body.assign(8U << 20U, 'x');
    co_return response;
}

// A body larger than what the system takes at once arrives whole.
TEST(HttpServer, SendsALargeBodyWhole) {
    server_scene scene{[](http_request request) { return answer_large(std::move(request)); }};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_EQ(body_of(answer).size(), 8U << 20U);
    };
    scene.run(test(client.get()));
}

// A peer that takes nothing of its answer is left after the stall time.
TEST(HttpServer, LeavesAPeerThatDoesNotReadItsAnswer) {
    http_server_settings settings;
    settings.write_stall = 50ms;
    server_scene scene{
        [](http_request request) { return answer_large(std::move(request)); }, settings
    };
    const auto client = scene.connect();
    auto test = [](server_scene* on, raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_has_left = [on] {
            return on->server.counters().connections_open == 0 &&
                   on->server.counters().requests == 1;
        };
        const bool has_left = co_await eventually(see_has_left);
        EXPECT_TRUE(has_left);
    };
    scene.run(test(&scene, client.get()));
}

// -- refusals -----------------------------------------------------------------------------------------

struct refused_request {
    std::string bytes;
    http_refusal reason;
};

std::string with_header(std::string_view lines) {
    return "GET / HTTP/1.1\r\nHost: x\r\n" + std::string{lines} + "\r\n\r\n";
}

std::vector<refused_request> refused_requests() {
    using enum http_refusal;
    return {
        {"GET /\r\n\r\n", bad_target},
        {"\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", malformed_request},
        {" GET / HTTP/1.1\r\nHost: x\r\n\r\n", malformed_request},
        {"G\"T / HTTP/1.1\r\nHost: x\r\n\r\n", malformed_request},
        {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET / HTTP/1.1 \r\nHost: x\r\n\r\n", unknown_version},
        {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", unknown_version},
        {"GET / HTTP/0.9\r\nHost: x\r\n\r\n", unknown_version},
        {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", http_2},
        {std::string{"\x16\x03\x01\x02\x00\x01", 6}, control_character},
        {"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", unknown_method},
        {"BREW / HTTP/1.1\r\nHost: x\r\n\r\n", unknown_method},
        {"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", unknown_method},
        // targets
        {"GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET x HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET * HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET /#a HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET /\xC3\xA9 HTTP/1.1\r\nHost: x\r\n\r\n", bad_target},
        {"GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", target_too_long},
        // lines
        {"GET / HTTP/1.1\nHost: x\n\n", bad_line_ending},
        {"GET / HTTP/1.1\r\nHost: x\n\r\n", bad_line_ending},
        {"GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", bad_line_ending},
        {with_header("A: b\r\n c"), folded_header},
        {with_header("A: b\r\n\tc"), folded_header},
        {with_header(std::string_view{"A: b\0c", 6}), control_character},
        {with_header("A: b\x01"), control_character},
        {with_header("A: b\x7F"), control_character},
        {with_header("A : b"), malformed_request},
        {with_header("A"), malformed_request},
        {with_header(": b"), malformed_request},
        {with_header("A b: c"), malformed_request},
        // host
        {"GET / HTTP/1.1\r\n\r\n", bad_host},
        {"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", bad_host},
        {"GET / HTTP/1.1\r\nHost:\r\n\r\n", bad_host},
        {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", bad_host},
        {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", bad_host},
        {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", bad_host},
        // lengths
        {with_header("Content-Length: 1\r\nContent-Length: 2"), bad_message_length},
        {with_header("Content-Length: 1\r\nContent-Length: 1"), bad_message_length},
        {with_header("Content-Length: 1, 1"), bad_message_length},
        {with_header("Content-Length: +1"), bad_message_length},
        {with_header("Content-Length: -1"), bad_message_length},
        {with_header("Content-Length: 0x1"), bad_message_length},
        {with_header("Content-Length: 99999999999999999999"), bad_message_length},
        {with_header("Content-Length:"), bad_message_length},
        {with_header("Content-Length: 5\r\nTransfer-Encoding: chunked"), bad_message_length},
        {with_header("Transfer-Encoding: chunked\r\nContent-Length: 5"), bad_message_length},
        {with_header("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), bad_message_length
        },
        {with_header("Transfer-Encoding: gzip, chunked"), unknown_transfer_coding},
        {with_header("Transfer-Encoding: gzip"), unknown_transfer_coding},
        {with_header("Transfer-Encoding: xchunked"), unknown_transfer_coding},
        {with_header("Transfer-Encoding: identity"), unknown_transfer_coding},
        {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", bad_message_length},
        {with_header("Expect: a-miracle"), unknown_expectation},
        // chunks
        {with_header("Transfer-Encoding: chunked") + "x\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "-1\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + " 1\r\na\r\n0\r\n\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "1\na\n0\n\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "1\r\nabc\r\n0\r\n\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "1;a=\x01\r\na\r\n0\r\n\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "FFFFFFFFFFFFFFFFF\r\n", bad_chunk},
        {with_header("Transfer-Encoding: chunked") + "FFFFFFFF\r\n", body_too_large},
        {with_header("Transfer-Encoding: chunked") + "0\r\nContent-Length: 3\r\n\r\n",
         bad_message_length},
        {with_header("Transfer-Encoding: chunked") + "0\r\nHost: y\r\n\r\n", bad_trailer},
        {with_header("Transfer-Encoding: chunked") + "1;" + std::string(20'000, 'a'), head_too_large
        },
        {with_header("Transfer-Encoding: chunked") + "0\r\nA: " + std::string(20'000, 'a'),
         head_too_large},
        // sizes
        {with_header("Content-Length: 1048577"), body_too_large},
        {with_header("A: " + std::string(20'000, 'a')), head_too_large},
        {with_header([] {
             std::string lines = "A: b";
             for (int i = 0; i < 100; ++i) {
                 lines += "\r\nA: b";
             }
             return lines;
         }()),
         too_many_headers},
    };
}

// Each malformed, ambiguous or oversized request is refused with a problem that names it, asks no handler,
// and ends the connection.
// Proves: R16
TEST(HttpServer, RefusesWhatTwoServersCouldReadDifferently) {
    int asked = 0;
    server_scene scene{[&asked](http_request request) {
        ++asked;
        return describe_request(std::move(request));
    }};
    auto test = [](server_scene* on) -> awaitable<void> {
        for (const refused_request& each : refused_requests()) {
            const auto client = on->connect();
            const bool sent = co_await client->send(each.bytes);
            EXPECT_TRUE(sent);
            const std::string answer = co_await client->receive_all();
            const http_refusal_text text = text_of(each.reason);
            EXPECT_TRUE(
                answer.starts_with("HTTP/1.1 " + std::to_string(text.status) + " ") ||
                answer.starts_with("HTTP/1.0 " + std::to_string(text.status) + " ")
            ) << each.bytes.substr(0, 200)
              << "\n"
              << answer;
            EXPECT_TRUE(contains(answer, "content-type: application/problem+json\r\n")) << answer;
            EXPECT_TRUE(contains(answer, "connection: close\r\n")) << answer;
            EXPECT_EQ(body_of(answer), problem_of(each.reason)) << each.bytes.substr(0, 200);
            client->leave();
        }
    };
    scene.run(test(&scene));
    EXPECT_EQ(asked, 0);
    std::uint64_t refusals = 0;
    for (const std::uint64_t count : scene.server.counters().refusals) {
        refusals += count;
    }
    EXPECT_EQ(refusals, refused_requests().size());
}

// What comes after a refused request is never taken for another one.
TEST(HttpServer, ServesNothingAfterARefusal) {
    int asked = 0;
    server_scene scene{[&asked](http_request request) {
        ++asked;
        return describe_request(std::move(request));
    }};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        );
        const std::string all = co_await peer->receive_all();
        EXPECT_TRUE(all.starts_with("HTTP/1.1 400 "));
        EXPECT_EQ(all.find("HTTP/1.1", 1), std::string::npos) << all;
    };
    scene.run(test(client.get()));
    EXPECT_EQ(asked, 0);
}

// -- time ---------------------------------------------------------------------------------------------

// A head that trickles in is cut off, however steadily it trickles.
TEST(HttpServer, CutsOffASlowHead) {
    http_server_settings settings;
    settings.head_time = 100ms;
    server_scene scene{describing(), settings};
    const auto client = scene.connect();
    auto trickle = [](raw_client* peer) -> awaitable<void> {
        bool is_sent = co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n");
        while (is_sent) {
            is_sent = co_await peer->send("A: b\r\n");
            const result<> slept = co_await sleep_for(10ms);
            is_sent = is_sent && slept.has_value();
        }
    };
    auto test = [](raw_client* peer) -> awaitable<void> {
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
        EXPECT_TRUE(contains(answer, "HEAD_TOO_SLOW"));
        peer->leave();
    };
    task_scope scope{scene.where};
    scope.spawn("trickle", trickle(client.get()));
    scene.run(test(client.get()));
    scene.where.run_until_done(scope.join());
}

// A body below the pace is cut off although it never stops.
TEST(HttpServer, CutsOffASlowBody) {
    http_server_settings settings;
    settings.body_grace = 100ms;
    settings.body_pace = 100'000;
    server_scene scene{describing(), settings};
    const auto client = scene.connect();
    auto trickle = [](raw_client* peer) -> awaitable<void> {
        bool is_sent = co_await peer->send(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
        );
        while (is_sent) {
            is_sent = co_await peer->send("x");
            const result<> slept = co_await sleep_for(10ms);
            is_sent = is_sent && slept.has_value();
        }
    };
    auto test = [](raw_client* peer) -> awaitable<void> {
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(contains(answer, "BODY_TOO_SLOW")) << answer;
        peer->leave();
    };
    task_scope scope{scene.where};
    scope.spawn("trickle", trickle(client.get()));
    scene.run(test(client.get()));
    scene.where.run_until_done(scope.join());
}

// An idle connection is closed without a word.
TEST(HttpServer, ClosesAnIdleConnection) {
    http_server_settings settings;
    settings.idle_time = 50ms;
    server_scene scene{describing(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string answer = co_await peer->receive_answer();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 "));
        const std::string nothing = co_await peer->receive_all();
        EXPECT_EQ(nothing, "");
    };
    scene.run(test(client.get()));
}

// -- handlers -----------------------------------------------------------------------------------------

awaitable<http_answer> fail_by_exception(http_request) {
    throw std::runtime_error{"boom"};
    co_return http_response{};
}

// An exception of a handler is a 500 without its text, logged once; the process goes on.
TEST(HttpServer, TurnsAnExceptionIntoAProblem) {
    std::vector<std::string> lines;
    set_log_sink([&lines](log_level, std::string_view line) { lines.emplace_back(line); });
    server_scene scene{[](http_request request) { return fail_by_exception(std::move(request)); }};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_EQ(body_of(answer), problem_of(http_refusal::handler_failed));
        EXPECT_FALSE(contains(answer, "boom"));
    };
    scene.run(test(client.get()));
    set_log_sink({});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(contains(lines[0], "boom"));
}

awaitable<http_answer> inject_header(http_request) {
    http_response response;
    response.headers.add("location", "/\r\nset-cookie: a=b");
    co_return response;
}

// A header value with a line end in it never reaches the wire.
TEST(HttpServer, SendsNoHeaderWithALineEnd) {
    set_log_sink([](log_level, std::string_view) {});
    server_scene scene{[](http_request request) { return inject_header(std::move(request)); }};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 "));
        EXPECT_FALSE(contains(answer, "set-cookie"));
    };
    scene.run(test(client.get()));
    set_log_sink({});
}

/// What a handler that waits for ever has seen.
struct waiting_handler {
    int started = 0;
    std::vector<error_code> ended;

    awaitable<http_answer> answer(http_request) {
        ++started;
        wait_flag never;
        const result<> waited = co_await never.wait();
        ended.push_back(waited ? error_code{} : waited.error());
        co_return http_response{};
    }
};

// A peer that leaves before its answer cancels the handler, whether it says good-bye or not.
TEST(HttpServer, CancelsTheHandlerOfAPeerThatLeft) {
    waiting_handler handler;
    server_scene scene{[&handler](http_request request) {
        return handler.answer(std::move(request));
    }};
    auto test = [](server_scene* on, waiting_handler* seen) -> awaitable<void> {
        const auto leaves = on->connect();
        const auto resets = on->connect();
        co_await leaves->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        co_await resets->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_started = [seen] { return seen->started == 2; };
        const bool started = co_await eventually(see_started);
        EXPECT_TRUE(started);
        leaves->leave();
        resets->reset();
        const auto see_ended = [seen] { return seen->ended.size() == 2; };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(&scene, &handler));
    EXPECT_EQ(handler.ended, std::vector<error_code>(2, errc::cancelled));
}

// -- limits and endings -------------------------------------------------------------------------------

// Above the limit a connection is told so and closed; those below are not disturbed.
TEST(HttpServer, TurnsAwayConnectionsAboveTheLimit) {
    http_server_settings settings;
    settings.max_connections = 1;
    server_scene scene{describing(), settings};
    auto test = [](server_scene* on) -> awaitable<void> {
        const auto first = on->connect();
        co_await first->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string served = co_await first->receive_answer();
        EXPECT_TRUE(served.starts_with("HTTP/1.1 200 "));
        const auto second = on->connect();
        const std::string refused = co_await second->receive_all();
        EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
        co_await first->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string again = co_await first->receive_answer();
        EXPECT_TRUE(again.starts_with("HTTP/1.1 200 "));
    };
    scene.run(test(&scene));
    EXPECT_EQ(scene.server.counters().connections_refused, 1U);
}

/// A handler that answers when the test says so.
struct held_handler {
    wait_flag release;
    int started = 0;
    int cancelled = 0;

    awaitable<http_answer> answer(http_request) {
        ++started;
        const result<> released = co_await release.wait();
        cancelled += released ? 0 : 1;
        http_response response;
        response.body = "done";
        co_return response;
    }
};

// Draining closes idle connections at once and lets a running request finish, marked as the last.
// Proves: O3
TEST(HttpServer, DrainsByFinishingWhatRuns) {
    held_handler handler;
    server_scene scene{[&handler](http_request request) {
        return handler.answer(std::move(request));
    }};
    auto test = [](server_scene* on, held_handler* held) -> awaitable<void> {
        const auto idle = on->connect();
        const auto busy = on->connect();
        co_await busy->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_started = [held, on] {
            return held->started == 1 && on->server.counters().connections_open == 2;
        };
        const bool started = co_await eventually(see_started);
        EXPECT_TRUE(started);
        task_scope scope{on->where};
        const deadline until{on->where.now() + patience};
        scope.spawn("drain", on->server.drain(until));
        const std::string nothing = co_await idle->receive_all();
        EXPECT_EQ(nothing, "");
        held->release.set();
        const std::string answer = co_await busy->receive_all();
        EXPECT_TRUE(contains(answer, "connection: close\r\n")) << answer;
        EXPECT_EQ(body_of(answer), "done");
        co_await scope.join();
        EXPECT_TRUE(on->server.draining().is_set());
    };
    scene.run(test(&scene, &handler));
    EXPECT_EQ(handler.cancelled, 0);
}

// What has not finished at the end of the drain is cancelled.
// Proves: O3
TEST(HttpServer, CancelsWhatOutlastsTheDrain) {
    held_handler handler;
    server_scene scene{[&handler](http_request request) {
        return handler.answer(std::move(request));
    }};
    auto test = [](server_scene* on, held_handler* held) -> awaitable<void> {
        const auto busy = on->connect();
        co_await busy->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_started = [held] { return held->started == 1; };
        const bool started = co_await eventually(see_started);
        EXPECT_TRUE(started);
        const deadline until{on->where.now() + 20ms};
        co_await on->server.drain(until);
        EXPECT_EQ(held->cancelled, 1);
    };
    scene.run(test(&scene, &handler));
}

// A socket that listens already is used and stays the caller's, so that several servers can share it.
TEST(HttpServer, SharesAListeningSocket) {
    const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    ASSERT_EQ(::listen(listening, 16), 0);
    http_server_settings settings;
    settings.listening_descriptor = listening;
    for (int i = 0; i < 2; ++i) {
        server_scene scene{describing(), settings};
        const auto client = scene.connect();
        auto test = [](raw_client* peer) -> awaitable<void> {
            co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            const std::string answer = co_await peer->receive_answer();
            EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 "));
        };
        scene.run(test(client.get()));
    }
    EXPECT_EQ(::close(listening), 0);
}

// A port that is taken is refused with a value, not found out later.
TEST(HttpServer, RefusesATakenPort) {
    set_log_sink([](log_level, std::string_view) {});
    server_scene scene{describing()};
    http_server_settings settings;
    settings.port = scene.server.port();
    http_server second{scene.where, settings, describing()};
    EXPECT_EQ(second.start().error(), errc::io_failed);
    settings.host = "256.0.0.1.invalid";
    http_server third{scene.where, settings, describing()};
    EXPECT_EQ(third.start().error(), errc::invalid_argument);
    auto nothing = []() -> awaitable<void> { co_return; };
    scene.run(nothing());
    set_log_sink({});
}

}  // namespace
}  // namespace convene
