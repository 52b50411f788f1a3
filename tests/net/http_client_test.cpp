// SPDX-License-Identifier: Apache-2.0
// The client against our own server: replies, limits, deadlines, and addresses it refuses to connect to.
#include "net/http_client.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "net/server_scene.hpp"
#include "net/test_certificates.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Answers by path, and counts the handlers that were cancelled.
struct test_site {
    int cancelled = 0;
    int waiting = 0;

    http_handler handler() {
        return [this](http_request request) { return answer(std::move(request)); };
    }

    awaitable<http_answer> answer(http_request request) {
        http_response response;
        if (request.path == "/never") {
            ++waiting;
            wait_flag never;
            const result<> waited = co_await never.wait();
            cancelled += waited ? 0 : 1;
        } else if (request.path == "/redirect") {
            response.status = 302;
            response.headers.add("location", "/elsewhere");
        } else if (request.path == "/large") {
            response.body.assign(100'000, 'x');
        } else {
            response.headers.add(
                "x-seen", std::string{request.headers.find("x-sent").value_or("")}
            );
            response.body = std::string{word_of(request.method)} + " " + request.path + " " +
                            std::string{request.headers.find("content-type").value_or("-")} + " " +
                            request.body;
        }
        co_return response;
    }
};

http_client_settings local_settings() {
    http_client_settings settings;
    EXPECT_TRUE(settings.policy.allow_range("127.0.0.1").has_value());
    return settings;
}

http_call call_of(http_method method, std::string url) {
    http_call call;
    call.method = method;
    call.url = std::move(url);
    return call;
}

std::string url_of(const server_scene& scene, const std::string& path) {
    return "http://127.0.0.1:" + std::to_string(scene.server.port()) + path;
}

awaitable<result<http_reply>> send_soon(http_client* client, http_call call) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    result<http_reply> reply = co_await client->send(std::move(call), until);
    co_return reply;
}

/// What one call ends with.
error_code error_of_call(server_scene& scene, http_client& client, http_call call) {
    error_code ended;
    auto test = [](http_client* by, http_call sent, error_code* into) -> awaitable<void> {
        const result<http_reply> reply = co_await send_soon(by, std::move(sent));
        *into = reply ? error_code{} : reply.error();
    };
    scene.run(test(&client, std::move(call), &ended));
    return ended;
}

// Each method arrives with its headers and body, and calls share a connection.
TEST(HttpClient, SendsRequestsAndReadsReplies) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by) -> awaitable<void> {
        for (const http_method method :
             {http_method::get,
              http_method::post,
              http_method::put,
              http_method::patch,
              http_method::delete_}) {
            http_call call = call_of(method, url_of(*on, "/a"));
            call.headers.add("x-sent", "yes");
            if (method != http_method::get) {
                call.headers.add("content-type", "application/json");
                call.body = "{}";
            }
            const result<http_reply> reply = co_await send_soon(by, std::move(call));
            EXPECT_TRUE(reply.has_value());
            if (!reply) {
                co_return;
            }
            EXPECT_EQ(reply->status, 200);
            EXPECT_EQ(reply->headers.find("x-seen"), "yes");
            const std::string rest = method == http_method::get ? " /a - "
                                                                : " /a application/json {}";
            EXPECT_EQ(reply->body, std::string{word_of(method)} + rest);
        }
        const result<http_reply> head = co_await send_soon(
            by, call_of(http_method::head, url_of(*on, "/large"))
        );
        EXPECT_TRUE(head.has_value() && head->body.empty());
    };
    scene.run(test(&scene, &client));
    EXPECT_EQ(scene.server.counters().connections_accepted, 1U);
}

// More calls than connections wait for one, and all are answered.
TEST(HttpClient, KeepsToItsConnections) {
    test_site site;
    server_scene scene{site.handler()};
    http_client_settings settings = local_settings();
    settings.most_connections = 2;
    http_client client{scene.where, settings};
    auto send = [](http_client* by, http_call call, int* answered) -> awaitable<void> {
        const result<http_reply> reply = co_await send_soon(by, std::move(call));
        *answered += reply && reply->status == 200 ? 1 : 0;
    };
    auto wait = [](task_scope* calls) -> awaitable<void> { co_await calls->join(); };
    int answered = 0;
    task_scope calls{scene.where};
    for (int i = 0; i < 20; ++i) {
        http_call call = call_of(http_method::get, url_of(scene, "/large"));
        calls.spawn("call", send(&client, std::move(call), &answered));
    }
    scene.run(wait(&calls));
    EXPECT_EQ(answered, 20);
    EXPECT_EQ(scene.server.counters().connections_accepted, 2U);
}

// A redirect is a reply like any other.
// Proves: X2
TEST(HttpClient, FollowsNoRedirect) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by) -> awaitable<void> {
        const result<http_reply> reply = co_await send_soon(
            by, call_of(http_method::get, url_of(*on, "/redirect"))
        );
        EXPECT_TRUE(reply.has_value() && reply->status == 302);
    };
    scene.run(test(&scene, &client));
    EXPECT_EQ(scene.server.counters().requests, 1U);
}

// Closed addresses are refused before a connection is made, by number, by name and in other clothes.
// Proves: X2
TEST(HttpClient, RefusesClosedAddresses) {
    for (const std::string host :
         {"127.0.0.1",
          "localhost",
          "[::1]",
          "[::ffff:127.0.0.1]",
          "0.0.0.0",
          "127.1",
          "0x7f000001",
          "2130706433",
          "10.0.0.1",
          "169.254.169.254",
          "[64:ff9b::7f00:1]"}) {
        test_site site;
        server_scene scene{site.handler()};
        http_client client{scene.where, http_client_settings{}};
        const std::string url = "http://" + host + ":" + std::to_string(scene.server.port()) + "/";
        EXPECT_EQ(
            error_of_call(scene, client, call_of(http_method::get, url)), errc::not_authorized
        ) << host;
        EXPECT_EQ(scene.server.counters().connections_accepted, 0U) << host;
    }
}

// A host that is allowed by name is reached wherever it leads.
TEST(HttpClient, ReachesAnAllowedHost) {
    test_site site;
    server_scene scene{site.handler()};
    http_client_settings settings;
    settings.policy.allow_host("localhost");
    http_client client{scene.where, settings};
    const std::string url = "http://localhost:" + std::to_string(scene.server.port()) + "/";
    EXPECT_EQ(error_of_call(scene, client, call_of(http_method::get, url)), error_code{});
}

// What is no plain http or https URL, or would break out of its header, is not sent.
// Proves: X2
TEST(HttpClient, RefusesOtherUrlsAndHeaders) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    for (const std::string url :
         {"",
          "x",
          "file:///etc/passwd",
          "gopher://127.0.0.1/",
          "ftp://127.0.0.1/",
          "http://user:word@127.0.0.1/",
          "http://",
          "http://a b/",
          "//127.0.0.1/"}) {
        EXPECT_EQ(
            error_of_call(scene, client, call_of(http_method::get, url)), errc::invalid_argument
        ) << url;
    }
    http_call call = call_of(http_method::get, url_of(scene, "/"));
    call.headers.add("a", "b\r\nc: d");
    EXPECT_EQ(error_of_call(scene, client, std::move(call)), errc::invalid_argument);
    EXPECT_EQ(scene.server.counters().connections_accepted, 0U);
}

// A reply above the limit is not kept in memory.
TEST(HttpClient, BoundsTheReply) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    http_call call = call_of(http_method::get, url_of(scene, "/large"));
    call.max_reply = 99'999;
    EXPECT_EQ(error_of_call(scene, client, std::move(call)), errc::payload_too_large);
}

// A call ends at its deadline, and the other side sees it leave.
TEST(HttpClient, EndsAtItsDeadline) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by, test_site* seen) -> awaitable<void> {
        const deadline until{on->where.now() + 50ms};
        auto call = call_of(http_method::get, url_of(*on, "/never"));
        const result<http_reply> reply = co_await by->send(std::move(call), until);
        EXPECT_EQ(reply.error(), errc::timed_out);
        const auto see_is_left = [seen] { return seen->cancelled == 1; };
        const bool is_left = co_await eventually(see_is_left);
        EXPECT_TRUE(is_left);
    };
    scene.run(test(&scene, &client, &site));
}

// A cancelled call is aborted: the connection is closed, not left to answer into the void.
TEST(HttpClient, AbortsACancelledCall) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto send = [](http_client* by, http_call call, error_code* into) -> awaitable<void> {
        const result<http_reply> reply = co_await send_soon(by, std::move(call));
        *into = reply ? error_code{} : reply.error();
    };
    auto test = [](server_scene* on, test_site* seen, task_scope* calls) -> awaitable<void> {
        const auto see_is_waiting = [seen] { return seen->waiting == 1; };
        const bool is_waiting = co_await eventually(see_is_waiting);
        EXPECT_TRUE(is_waiting);
        calls->request_stop();
        co_await calls->join();
        const auto see_is_left = [seen] { return seen->cancelled == 1; };
        const bool is_left = co_await eventually(see_is_left);
        EXPECT_TRUE(is_left);
        EXPECT_EQ(on->server.counters().requests, 1U);
    };
    error_code ended;
    task_scope calls{scene.where};
    calls.spawn("call", send(&client, call_of(http_method::get, url_of(scene, "/never")), &ended));
    scene.run(test(&scene, &site, &calls));
    EXPECT_EQ(ended, errc::cancelled);
}

// Nobody at the address, and no such name, are both "not now".
TEST(HttpClient, SaysUnavailableWhenNobodyAnswers) {
    test_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    const std::string url = url_of(scene, "/");
    auto nothing = []() -> awaitable<void> { co_return; };
    scene.run(nothing());
    EXPECT_EQ(error_of_call(scene, client, call_of(http_method::get, url)), errc::unavailable);
}

// Over TLS the other side has to be who the URL says, by an authority that we trust.
// Proves: X2
TEST(HttpClient, VerifiesTheOtherSide) {
    const test_certificates made;
    const auto outcome = [&made](const std::string& authority, const std::string& host) {
        test_site site;
        http_server_settings server;
        server.host = host;
        server.tls = tls_server_settings{
            made.file("server.pem"), made.file("server.key"), std::string{}
        };
        server_scene scene{site.handler(), server};
        http_client_settings settings = local_settings();
        EXPECT_TRUE(settings.policy.allow_range("127.0.0.0/8").has_value());
        settings.ca_file = made.file(authority);
        http_client client{scene.where, settings};
        const std::string url = "https://" + host + ":" + std::to_string(scene.server.port()) + "/";
        return error_of_call(scene, client, call_of(http_method::get, url));
    };
    EXPECT_EQ(outcome("ca.pem", "127.0.0.1"), error_code{});
    EXPECT_EQ(outcome("other.pem", "127.0.0.1"), errc::io_failed);
    // The certificate is for another address.
    EXPECT_EQ(outcome("ca.pem", "127.0.0.2"), errc::io_failed);
}

}  // namespace
}  // namespace convene
