// SPDX-License-Identifier: Apache-2.0
// Replies that are read while they come: pieces, their end, a sender that has to wait, and readers that leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "net/http_client.hpp"
#include "net/server_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t piece_size = 64 * 1024;
constexpr int most_pieces = 1000;  // far more than sockets hold

/// Streams what its path says, and remembers how that ended.
struct streaming_site {
    wait_flag may_go_on;
    std::optional<error_code> ended;

    http_handler handler() {
        return [this](http_request request) { return answer(std::move(request)); };
    }

    awaitable<http_answer> answer(http_request request) {
        http_stream stream;
        stream.status = request.path == "/refused" ? 404 : 200;
        stream.headers.add("content-type", "text/event-stream");
        if (request.path == "/much") {
            stream.produce = [this](http_body_sink* sink) { return write_much(sink); };
        } else {
            stream.produce = [this](http_body_sink* sink) { return write_two(sink); };
        }
        co_return http_answer{std::move(stream)};
    }

    /// The second piece waits until it may come.
    awaitable<void> write_two(http_body_sink* sink) {
        result<> written = co_await sink->write("first");
        if (written) {
            written = co_await may_go_on.wait();
        }
        if (written) {
            written = co_await sink->write("second");
        }
        ended = written ? error_code{} : written.error();
    }

    awaitable<void> write_much(http_body_sink* sink) {
        result<> written;
        for (int i = 0; i < most_pieces && written; ++i) {
            written = co_await sink->write(std::string(piece_size, 'x'));
        }
        ended = written ? error_code{} : written.error();
    }
};

http_client_settings local_settings() {
    http_client_settings settings;
    EXPECT_TRUE(settings.policy.allow_range("127.0.0.1").has_value());
    return settings;
}

http_call get_from(const server_scene& scene, const std::string& path) {
    http_call call;
    call.method = http_method::get;
    call.url = "http://127.0.0.1:" + std::to_string(scene.server.port()) + path;
    return call;
}

awaitable<result<std::unique_ptr<http_reply_stream>>> open_soon(http_client* by, http_call call) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    auto opened = co_await by->open(std::move(call), until);
    co_return opened;
}

awaitable<result<std::string>> read_soon(http_reply_stream* from) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    auto piece = co_await from->read(until);
    co_return piece;
}

awaitable<void> read_into(http_reply_stream* from, error_code* into) {
    const auto piece = co_await read_soon(from);
    *into = piece ? error_code{} : piece.error();
}

// The head is there before the body is, each piece as soon as it was sent, and the end is an empty piece.
TEST(HttpReplyStream, GivesPiecesAsTheyCome) {
    streaming_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by, streaming_site* from) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        http_reply_stream* const stream = opened->get();
        EXPECT_EQ(stream->status(), 200);
        EXPECT_EQ(stream->headers().find("content-type"), "text/event-stream");
        const auto first = co_await read_soon(stream);
        EXPECT_TRUE(first && *first == "first");
        from->may_go_on.set();
        const auto second = co_await read_soon(stream);
        EXPECT_TRUE(second && *second == "second");
        const auto end = co_await read_soon(stream);
        EXPECT_TRUE(end && end->empty());
    };
    scene.run(test(&scene, &client, &site));
}

// A deadline ends the wait, not the stream.
TEST(HttpReplyStream, GoesOnAfterADeadline) {
    streaming_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by, streaming_site* from) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        const auto first = co_await read_soon(opened->get());
        EXPECT_TRUE(first.has_value());
        const deadline now{on->where.now()};
        const auto nothing = co_await (*opened)->read(now);
        EXPECT_EQ(nothing.error(), errc::timed_out);
        from->may_go_on.set();
        const auto second = co_await read_soon(opened->get());
        EXPECT_TRUE(second && *second == "second");
    };
    scene.run(test(&scene, &client, &site));
}

// Status and headers of a refusal are there, and so is its body.
TEST(HttpReplyStream, GivesRefusalsToo) {
    streaming_site site;
    site.may_go_on.set();
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/refused"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        EXPECT_EQ((*opened)->status(), 404);
        const auto body = co_await read_soon(opened->get());
        EXPECT_TRUE(body && body->starts_with("first"));
    };
    scene.run(test(&scene, &client));
}

// What is not read is not taken from the sender either: it stalls, and what it sent before is there to read.
TEST(HttpReplyStream, MakesTheSenderWait) {
    streaming_site site;
    http_server_settings settings;
    settings.write_stall = 50ms;
    server_scene scene{site.handler(), settings};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by, streaming_site* from) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/much"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        const auto see_is_over = [from] { return from->ended.has_value(); };
        const bool is_over = co_await eventually(see_is_over);
        EXPECT_TRUE(is_over);
        EXPECT_EQ(from->ended, errc::timed_out);
        // The connection was given up, so that the body has no end.
        std::size_t seen = 0;
        result<std::string> piece = co_await read_soon(opened->get());
        while (piece && !piece->empty()) {
            seen += piece->size();
            piece = co_await read_soon(opened->get());
        }
        EXPECT_EQ(piece.error(), errc::connection_closed);
        EXPECT_GT(seen, piece_size);
        EXPECT_LT(seen, piece_size * most_pieces);
    };
    scene.run(test(&scene, &client, &site));
}

// A reader that has read everything got everything, however often its sender had to wait.
TEST(HttpReplyStream, LosesNothingWhileTheSenderWaits) {
    streaming_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/much"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        std::size_t seen = 0;
        std::size_t largest = 0;
        result<std::string> piece = co_await read_soon(opened->get());
        while (piece && !piece->empty()) {
            seen += piece->size();
            largest = std::max(largest, piece->size());
            piece = co_await read_soon(opened->get());
        }
        EXPECT_TRUE(piece.has_value());
        EXPECT_EQ(seen, piece_size * most_pieces);
        EXPECT_LE(largest, piece_size) << "what waits is bounded";
    };
    scene.run(test(&scene, &client));
}

// A stream that is dropped, or whose reader was cancelled first, ends at the sender.
TEST(HttpReplyStream, EndsWhenItIsDropped) {
    streaming_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    auto test = [](server_scene* on, http_client* by, streaming_site* from) -> awaitable<void> {
        auto opened = co_await open_soon(by, get_from(*on, "/"));
        EXPECT_TRUE(opened.has_value());
        if (!opened) {
            co_return;
        }
        const auto first = co_await read_soon(opened->get());
        EXPECT_TRUE(first.has_value());
        error_code ended;
        task_scope reading{on->where};
        reading.spawn("read", read_into(opened->get(), &ended));
        const result<> turned = co_await yield_turn();
        EXPECT_TRUE(turned.has_value());
        reading.request_stop();
        co_await reading.join();
        EXPECT_EQ(ended, errc::cancelled);
        EXPECT_FALSE(from->ended.has_value());
        opened->reset();
        const auto see_is_over = [from] { return from->ended.has_value(); };
        const bool is_over = co_await eventually(see_is_over);
        EXPECT_TRUE(is_over);
        EXPECT_TRUE(from->ended != error_code{});
    };
    scene.run(test(&scene, &client, &site));
}

// Nobody there, and a URL that is none, are errors of opening.
TEST(HttpReplyStream, SaysWhyItDoesNotOpen) {
    streaming_site site;
    server_scene scene{site.handler()};
    http_client client{scene.where, local_settings()};
    const http_call gone = get_from(scene, "/");
    auto nothing = []() -> awaitable<void> { co_return; };
    scene.run(nothing());
    auto test = [](http_client* by, http_call call) -> awaitable<void> {
        http_call other = call;
        const auto unreachable = co_await open_soon(by, std::move(call));
        EXPECT_EQ(unreachable.error(), errc::unavailable);
        other.url = "file:///etc/passwd";
        const auto refused = co_await open_soon(by, std::move(other));
        EXPECT_EQ(refused.error(), errc::invalid_argument);
    };
    scene.where.run_until_done(test(&client, gone));
}

}  // namespace
}  // namespace convene
