// SPDX-License-Identifier: Apache-2.0
// WebSockets against frames made by hand: messages, fragments, control frames, limits and good-byes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/server_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

constexpr int continuation = 0x0;
constexpr int text = 0x1;
constexpr int binary = 0x2;
constexpr int close_frame = 0x8;
constexpr int ping = 0x9;
constexpr int pong = 0xA;

enum class part { last, more };

/// A masked frame, as a client sends it.
std::string frame(int opcode, std::string_view payload, part which = part::last) {
    std::string made;
    made += static_cast<char>((which == part::last ? 0x80 : 0) | opcode);
    if (payload.size() < 126) {
        made += static_cast<char>(0x80U | payload.size());
    } else {
        made += static_cast<char>(0xFE);
        made += static_cast<char>(payload.size() >> 8U);
        made += static_cast<char>(payload.size() & 0xFFU);
    }
    constexpr std::string_view mask{"\x11\x22\x33\x44"};
    made += mask;
    for (std::size_t i = 0; i < payload.size(); ++i) {
        made += static_cast<char>(payload[i] ^ mask[i % 4]);
    }
    return made;
}

/// An unmasked frame, as the server sends it.
std::string answer(int opcode, std::string_view payload) {
    std::string made;
    made += static_cast<char>(0x80 | opcode);
    made += static_cast<char>(payload.size());
    made += payload;
    return made;
}

std::string close_payload(int code, std::string_view reason = "") {
    std::string made;
    made += static_cast<char>(code >> 8);
    made += static_cast<char>(code & 0xFF);
    made += reason;
    return made;
}

const std::string upgrade_request =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

/// Talks back, and remembers how the talk ended.
struct echo {
    std::vector<error_code> ended;
    std::size_t max_message = 1000;

    http_handler handler() {
        return [this](http_request) { return accept(); };
    }

    awaitable<http_answer> accept() {
        websocket_upgrade upgrade;
        upgrade.headers.add("x-made-by", "test");
        upgrade.max_message = max_message;
        upgrade.talk = [this](websocket* socket) { return talk(socket); };
        co_return upgrade;
    }

    awaitable<void> talk(websocket* socket) {
        for (;;) {
            result<std::string> message = co_await socket->read();
            if (!message) {
                ended.push_back(message.error());
                co_return;
            }
            if (*message == "bye") {
                co_await socket->close(4400, "as you wish");
                const result<std::string> nothing = co_await socket->read();
                ended.push_back(nothing.error());
                co_return;
            }
            const result<> written = co_await socket->write(std::move(*message));
            EXPECT_TRUE(written.has_value());
        }
    }
};

/// Opens the socket and returns once the handshake is read.
awaitable<void> open_socket(raw_client* peer) {
    co_await peer->send(upgrade_request);
    const std::string head = co_await peer->receive("\r\n\r\n", 1);
    EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
}

/// Sends bytes on an open socket and reads to the end.
awaitable<std::string> exchange_to_end(raw_client* peer, std::string bytes) {
    co_await open_socket(peer);
    co_await peer->send(std::move(bytes));
    const std::string rest = co_await peer->receive_all();
    co_return rest;
}

// The handshake answers the key of RFC 6455's example, and the handler's headers are in it.
TEST(WebSocket, AnswersTheHandshake) {
    echo echoing;
    server_scene scene{echoing.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send(upgrade_request);
        const std::string head = co_await peer->receive("\r\n\r\n", 1);
        EXPECT_TRUE(head.starts_with("HTTP/1.1 101 ")) << head;
        EXPECT_NE(head.find("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), std::string::npos) << head;
        EXPECT_NE(head.find("x-made-by: test"), std::string::npos) << head;
        peer->leave();
    };
    scene.run(test(client.get()));
    EXPECT_EQ(scene.server.counters().websockets, 1U);
}

// Whole, empty and fragmented messages come back, with a ping between fragments answered at once; frames
// that came together with the handshake count.
TEST(WebSocket, EchoesWholeAndFragmentedMessages) {
    echo echoing;
    server_scene scene{echoing.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send(upgrade_request + frame(text, "early"));
        const std::string head = co_await peer->receive("\r\n\r\n", 1);
        EXPECT_TRUE(head.starts_with("HTTP/1.1 101 "));
        const std::string early = co_await peer->receive(answer(text, "early"), 1);
        EXPECT_EQ(early, answer(text, "early"));
        co_await peer->send(
            frame(text, "Hel", part::more) + frame(ping, "p") +
            frame(continuation, "", part::more) + frame(continuation, "lo")
        );
        const std::string whole = co_await peer->receive(answer(text, "Hello"), 1);
        EXPECT_EQ(whole, answer(pong, "p") + answer(text, "Hello"));
        co_await peer->send(frame(text, "") + frame(text, "\xC3\xA9"));
        const std::string small = co_await peer->receive("\xC3\xA9", 1);
        EXPECT_EQ(small, answer(text, "") + answer(text, "\xC3\xA9"));
        co_await peer->send(frame(close_frame, close_payload(1000)));
        const std::string end = co_await peer->receive_all();
        EXPECT_EQ(end, answer(close_frame, close_payload(1000)));
    };
    scene.run(test(client.get()));
    EXPECT_EQ(echoing.ended, std::vector<error_code>{errc::connection_closed});
}

// The application says good-bye with its own code and reason, and reads nothing after it.
TEST(WebSocket, ClosesWithACode) {
    echo echoing;
    server_scene scene{echoing.handler()};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await open_socket(peer);
        co_await peer->send(frame(text, "bye"));
        const std::string good_bye = answer(close_frame, close_payload(4400, "as you wish"));
        const std::string closing = co_await peer->receive(good_bye, 1);
        EXPECT_EQ(closing, good_bye);
        co_await peer->send(frame(close_frame, close_payload(4400)));
        const std::string nothing = co_await peer->receive_all();
        EXPECT_EQ(nothing, "");
    };
    scene.run(test(client.get()));
    EXPECT_EQ(echoing.ended, std::vector<error_code>{errc::connection_closed});
}

struct broken_frames {
    std::string name;
    std::string bytes;
    int code;
    errc ended;
};

// What breaks the protocol, the encoding or the limit is answered by the close code for it.
TEST(WebSocket, ClosesOnWhatIsNotAllowed) {
    const std::vector<broken_frames> cases{
        {"too large", frame(text, std::string(1001, 'a')), 1009, errc::payload_too_large},
        {"too large in fragments",
         frame(text, std::string(600, 'a'), part::more) +
             frame(continuation, std::string(600, 'a')),
         1009,
         errc::payload_too_large},
        {"no UTF-8", frame(text, "\xC3("), 1007, errc::invalid_argument},
        {"half a character", frame(text, "\xC3"), 1007, errc::invalid_argument},
        {"binary", frame(binary, "a"), 1003, errc::invalid_argument},
        {"unknown opcode", frame(0x3, "a"), 1002, errc::connection_closed},
        {"reserved bit", "\xC1" + frame(text, "a").substr(1), 1002, errc::connection_closed},
        {"unmasked", answer(text, "a"), 1002, errc::connection_closed},
        {"continues nothing", frame(continuation, "a"), 1002, errc::connection_closed},
        {"starts within a message",
         frame(text, "a", part::more) + frame(text, "b"),
         1002,
         errc::connection_closed},
        {"fragmented ping", frame(ping, "a", part::more), 1002, errc::connection_closed},
        {"large ping", frame(ping, std::string(126, 'a')), 1002, errc::connection_closed},
        {"close of one byte", frame(close_frame, "a"), 1002, errc::connection_closed},
    };
    for (const broken_frames& each : cases) {
        echo echoing;
        server_scene scene{echoing.handler()};
        const auto client = scene.connect();
        auto test = [](raw_client* peer, const broken_frames* broken) -> awaitable<void> {
            const std::string rest = co_await exchange_to_end(peer, broken->bytes);
            EXPECT_EQ(rest.substr(0, 1), "\x88") << broken->name;
            EXPECT_EQ(rest.substr(2, 2), close_payload(broken->code)) << broken->name;
        };
        scene.run(test(client.get(), &each));
        EXPECT_EQ(echoing.ended, std::vector<error_code>{each.ended}) << each.name;
    }
}

// A peer that answers nothing is pinged at half the silence, and gone after the whole.
TEST(WebSocket, PingsAndLeavesASilentPeer) {
    echo echoing;
    http_server_settings settings;
    settings.websocket_silence = 100ms;
    server_scene scene{echoing.handler(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        const std::string rest = co_await exchange_to_end(peer, "");
        EXPECT_EQ(rest.substr(0, 1), "\x89") << "no ping came";
    };
    scene.run(test(client.get()));
    EXPECT_EQ(echoing.ended, std::vector<error_code>{errc::timed_out});
}

// A peer that answers pings stays, however quiet it is.
TEST(WebSocket, KeepsAPeerThatAnswersPings) {
    echo echoing;
    http_server_settings settings;
    settings.websocket_silence = 100ms;
    server_scene scene{echoing.handler(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer, echo* seen) -> awaitable<void> {
        co_await open_socket(peer);
        for (int i = 0; i < 6; ++i) {
            const std::string pinged = co_await peer->receive(std::string("\x89\x00", 2), 1);
            EXPECT_EQ(pinged.size(), 2U);
            co_await peer->send(frame(pong, ""));
        }
        co_await peer->send(frame(text, "still here"));
        const std::string echoed = co_await peer->receive("still here", 1);
        EXPECT_TRUE(echoed.ends_with("still here"));
        peer->leave();
        const auto see_ended = [seen] { return !seen->ended.empty(); };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(client.get(), &echoing));
    EXPECT_EQ(echoing.ended, std::vector<error_code>{errc::connection_closed});
}

// A request that is no proper handshake of this version is refused with what it should have been.
TEST(WebSocket, RefusesOtherHandshakes) {
    const auto replaced = [](std::string_view what, std::string_view by) {
        std::string request = upgrade_request;
        return request.replace(request.find(what), what.size(), by);
    };
    const std::vector<std::pair<std::string, http_refusal>> cases{
        {"GET /ws HTTP/1.1\r\nHost: x\r\n\r\n", http_refusal::upgrade_required},
        {replaced("websocket", "h2c"), http_refusal::upgrade_required},
        {replaced("Version: 13", "Version: 8"), http_refusal::upgrade_required},
        {replaced("dGhlIHNhbXBsZSBub25jZQ==", "dGhl"), http_refusal::bad_upgrade},
        {replaced("keep-alive, Upgrade", "keep-alive"), http_refusal::bad_upgrade},
        {replaced("GET", "POST"), http_refusal::bad_upgrade},
    };
    for (const auto& [request, reason] : cases) {
        echo echoing;
        server_scene scene{echoing.handler()};
        const auto client = scene.connect();
        auto test = [](raw_client* peer, std::string bytes, http_refusal expected
                    ) -> awaitable<void> {
            co_await peer->send(std::move(bytes));
            const std::string refused = co_await peer->receive_all();
            EXPECT_EQ(body_of(refused), problem_of(expected)) << refused;
            if (expected == http_refusal::upgrade_required) {
                EXPECT_NE(refused.find("sec-websocket-version: 13\r\n"), std::string::npos);
            }
        };
        scene.run(test(client.get(), request, reason));
        EXPECT_EQ(scene.server.counters().websockets, 0U);
    }
}

/// Writes until it can't, with reads going on beside it.
struct chatterbox {
    std::vector<error_code> ended;
    std::vector<std::string> heard;

    http_handler handler() {
        return [this](http_request) { return accept(); };
    }

    awaitable<http_answer> accept() {
        websocket_upgrade upgrade;
        upgrade.talk = [this](websocket* socket) { return talk(socket); };
        co_return upgrade;
    }

    awaitable<void> listen(websocket* socket) {
        for (;;) {
            result<std::string> message = co_await socket->read();
            if (!message) {
                co_return;
            }
            heard.push_back(std::move(*message));
        }
    }

    awaitable<void> talk(websocket* socket) {
        const coroutine_context context = co_await this_context();
        task_scope scope{*context.where, context.cancel};
        scope.spawn("listen", listen(socket));
        bool goes_on = true;
        while (goes_on) {
            const result<> written = co_await socket->write(std::string(60'000, 'x'));
            goes_on = written.has_value();
            if (!written) {
                ended.push_back(written.error());
            }
        }
        scope.request_stop();
        co_await scope.join();
    }
};

// A peer that does not read is cut after the stall time, while what it says is still heard.
// Proves: R18
TEST(WebSocket, CutsAPeerThatDoesNotRead) {
    chatterbox talking;
    http_server_settings settings;
    settings.write_stall = 100ms;
    server_scene scene{talking.handler(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer, chatterbox* seen) -> awaitable<void> {
        co_await peer->send(upgrade_request + frame(text, "I only talk"));
        const auto see_ended = [seen] { return !seen->ended.empty(); };
        const bool ended = co_await eventually(see_ended);
        EXPECT_TRUE(ended);
    };
    scene.run(test(client.get(), &talking));
    EXPECT_EQ(talking.ended, std::vector<error_code>{errc::timed_out});
    EXPECT_EQ(talking.heard, std::vector<std::string>{"I only talk"});
}

// When the server goes away the peer is told so by code 1001, also in the middle of a wait.
// Proves: O3
TEST(WebSocket, SaysGoingAwayWhenTheServerStops) {
    echo echoing;
    server_scene scene{echoing.handler()};
    const auto client = scene.connect();
    auto test = [](server_scene* on, raw_client* peer) -> awaitable<void> {
        co_await open_socket(peer);
        const deadline until{on->where.now() + 20ms};
        co_await on->server.drain(until);
        const std::string rest = co_await peer->receive_all();
        EXPECT_EQ(rest, answer(close_frame, close_payload(1001)));
    };
    scene.run(test(&scene, client.get()));
    EXPECT_EQ(echoing.ended, std::vector<error_code>{errc::cancelled});
}

}  // namespace
}  // namespace convene
