// SPDX-License-Identifier: Apache-2.0
// Streamed answers: chunks as they are made, slow readers, readers that leave, and the drain.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/server_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

http_answer stream_of(std::function<awaitable<void>(http_body_sink*)> produce) {
    http_stream stream;
    stream.headers.add("content-type", "text/event-stream");
    stream.produce = std::move(produce);
    return stream;
}

/// Answers every request with the same producer.
class producing {
   public:
    explicit producing(std::function<awaitable<void>(http_body_sink*)> produce)
        : produce_(std::move(produce)) {}

    http_handler handler() {
        return [this](http_request) { return answer(); };
    }

   private:
    awaitable<http_answer> answer() { co_return stream_of(produce_); }

    std::function<awaitable<void>(http_body_sink*)> produce_;
};

awaitable<void> write_two(http_body_sink* sink) {
    const result<> first = co_await sink->write("data: a\n\n");
    EXPECT_TRUE(first.has_value());
    const result<> nothing = co_await sink->write("");
    EXPECT_TRUE(nothing.has_value());
    const result<> second = co_await sink->write(std::string(20, 'b'));
    EXPECT_TRUE(second.has_value());
}

// A stream is chunked, ends with its last chunk, and the connection goes on.
// Proves: R18
TEST(HttpStream, SendsChunksAndKeepsTheConnection) {
    producing two{write_two};
    server_scene scene{two.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
            co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            const std::string head = co_await peer->receive("\r\n\r\n", 1);
            EXPECT_NE(head.find("transfer-encoding: chunked\r\n"), std::string::npos) << head;
            EXPECT_EQ(head.find("content-length"), std::string::npos);
            const std::string body = co_await peer->receive("0\r\n\r\n", 1);
            EXPECT_EQ(body, "9\r\ndata: a\n\n\r\n14\r\nbbbbbbbbbbbbbbbbbbbb\r\n0\r\n\r\n");
        }
    };
    scene.run(test(client.get()));
}

// A stream of a known length is sent as it is, and the connection goes on.
TEST(HttpStream, OfKnownLengthIsNotChunked) {
    auto handler = [](http_request) -> awaitable<http_answer> {
        http_stream stream;
        stream.length = 29;
        stream.produce = write_two;
        co_return stream;
    };
    server_scene scene{handler};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        for (int i = 0; i < 2; ++i) {
            co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            const std::string answer = co_await peer->receive_answer();
            EXPECT_NE(answer.find("content-length: 29\r\n"), std::string::npos) << answer;
            EXPECT_EQ(answer.find("transfer-encoding"), std::string::npos);
            EXPECT_EQ(body_of(answer), "data: a\n\nbbbbbbbbbbbbbbbbbbbb");
        }
        co_await peer->send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        const std::string head = co_await peer->receive_all();
        EXPECT_NE(head.find("content-length: 29\r\n"), std::string::npos) << head;
        EXPECT_EQ(body_of(head), "");
    };
    scene.run(test(client.get()));
}

// One that ends before the length it told is cut off: the other end must not take it for the whole.
TEST(HttpStream, ThatIsTooShortIsCutOff) {
    auto handler = [](http_request) -> awaitable<http_answer> {
        http_stream stream;
        stream.length = 1000;
        stream.produce = write_two;
        co_return stream;
    };
    server_scene scene{handler};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_TRUE(peer->has_ended());
        EXPECT_LT(body_of(answer).size(), 1000U);
    };
    scene.run(test(client.get()));
}

// A client that knows no chunks reads until the end.
TEST(HttpStream, SendsBareBytesToAnOldClient) {
    producing two{write_two};
    server_scene scene{two.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.0\r\n\r\n");
        const std::string answer = co_await peer->receive_all();
        EXPECT_EQ(body_of(answer), "data: a\n\nbbbbbbbbbbbbbbbbbbbb");
    };
    scene.run(test(client.get()));
}

/// A producer that writes until it can't, and remembers why.
struct endless_producer {
    std::size_t piece_size = 16;
    std::size_t written = 0;
    std::vector<error_code> ended;

    awaitable<void> produce(http_body_sink* sink) {
        for (;;) {
            const result<> sent = co_await sink->write(std::string(piece_size, 'x'));
            if (!sent) {
                ended.push_back(sent.error());
                co_return;
            }
            written += piece_size;
            const result<> yielded = co_await yield_turn();
            if (!yielded) {
                ended.push_back(yielded.error());
                co_return;
            }
        }
    }

    /// Writes once and waits for ever.
    awaitable<void> produce_once(http_body_sink* sink) {
        const result<> sent = co_await sink->write("x");
        EXPECT_TRUE(sent.has_value());
        wait_flag never;
        const result<> waited = co_await never.wait();
        ended.push_back(waited ? error_code{} : waited.error());
    }
};

// A producer that only waits is cancelled when its reader leaves.
// Proves: R18
TEST(HttpStream, CancelsTheProducerOfAReaderThatLeft) {
    endless_producer made;
    producing once{[&made](http_body_sink* sink) { return made.produce_once(sink); }};
    server_scene scene{once.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer, endless_producer* seen) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string first = co_await peer->receive("1\r\nx\r\n", 1);
        EXPECT_TRUE(first.ends_with("x\r\n"));
        peer->leave();
        const auto see_ended = [seen] { return !seen->ended.empty(); };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(client.get(), &made));
    EXPECT_EQ(made.ended, std::vector<error_code>{errc::cancelled});
}

// A reader that reads nothing is cut after the stall time, and holds a bounded number of bytes until then.
// Proves: R18
TEST(HttpStream, CutsAReaderThatDoesNotRead) {
    endless_producer made;
    made.piece_size = 32U << 10U;
    producing endless{[&made](http_body_sink* sink) { return made.produce(sink); }};
    http_server_settings settings;
    settings.write_stall = 50ms;
    server_scene scene{endless.handler(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer, endless_producer* seen) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_ended = [seen] { return !seen->ended.empty(); };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(client.get(), &made));
    EXPECT_EQ(made.ended, std::vector<error_code>{errc::timed_out});
    // What the system buffers on both sides of a connection.
    EXPECT_LT(made.written, 32U << 20U);
}

// A piece larger than the budget is for readers that keep up: one that reads nothing is cut at once.
// Proves: R18
TEST(HttpStream, CutsAReaderThatLeavesMoreThanTheBudget) {
    endless_producer made;
    made.piece_size = 24U << 20U;
    producing endless{[&made](http_body_sink* sink) { return made.produce(sink); }};
    http_server_settings settings;
    settings.unsent_budget = 64U << 10U;
    server_scene scene{endless.handler(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer, endless_producer* seen) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const auto see_ended = [seen] { return !seen->ended.empty(); };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(client.get(), &made));
    EXPECT_EQ(made.ended, std::vector<error_code>{errc::timed_out});
    EXPECT_EQ(made.written, 0U);
}

/// A producer that says a last word when the server drains.
struct draining_producer {
    http_server* server = nullptr;

    awaitable<void> produce(http_body_sink* sink) {
        const result<> waited = co_await server->draining().wait();
        EXPECT_TRUE(waited.has_value());
        const result<> sent = co_await sink->write("event: end\n\n");
        EXPECT_TRUE(sent.has_value());
    }
};

// A stream hears that the server drains in time for a last word.
// Proves: O3
TEST(HttpStream, SaysALastWordWhenTheServerDrains) {
    draining_producer last_word;
    producing stream{[&last_word](http_body_sink* sink) { return last_word.produce(sink); }};
    server_scene scene{stream.handler()};
    last_word.server = &scene.server;
    const auto client = scene.connect();
    auto test = [](server_scene* on, raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string head = co_await peer->receive("\r\n\r\n", 1);
        EXPECT_TRUE(head.starts_with("HTTP/1.1 200 "));
        const deadline until{on->where.now() + patience};
        co_await on->server.drain(until);
        const std::string rest = co_await peer->receive_all();
        EXPECT_EQ(rest, "c\r\nevent: end\n\n\r\n0\r\n\r\n");
    };
    scene.run(test(&scene, client.get()));
}

// A stream that is cancelled ends without its last chunk, so that nobody takes it for the whole.
TEST(HttpStream, IsCutWithoutItsLastChunk) {
    endless_producer made;
    producing once{[&made](http_body_sink* sink) { return made.produce_once(sink); }};
    server_scene scene{once.handler()};
    const auto client = scene.connect();
    auto test = [](server_scene* on, raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string first = co_await peer->receive("1\r\nx\r\n", 1);
        EXPECT_TRUE(first.ends_with("x\r\n"));
        co_await on->server.stop();
        const std::string rest = co_await peer->receive_all();
        EXPECT_EQ(rest, "");
    };
    scene.run(test(&scene, client.get()));
    EXPECT_EQ(made.ended, std::vector<error_code>{errc::cancelled});
}

}  // namespace
}  // namespace convene
