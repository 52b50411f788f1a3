// SPDX-License-Identifier: Apache-2.0
// The server over TLS, spoken to by the openssl program: versions, protocols and client certificates.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <future>
#include <string>

#include "base/log.hpp"
#include "net/server_scene.hpp"
#include "net/test_certificates.hpp"

namespace convene {
namespace {

awaitable<http_answer> tell_security(http_request request) {
    http_response response;
    response.body = request.is_secure ? "secure " : "plain ";
    response.body += std::string(200'000, 'x');
    co_return response;
}

http_handler telling() {
    return [](http_request request) { return tell_security(std::move(request)); };
}

http_server_settings secured(const test_certificates& made) {
    http_server_settings settings;
    settings.tls = tls_server_settings{
        made.file("server.pem"), made.file("server.key"), std::string{}
    };
    return settings;
}

std::string output_of(const std::string& command) {
    std::string output;
    FILE* running = ::popen(command.c_str(), "r");
    std::array<char, 4096> piece;
    std::size_t count = 0;
    while ((count = std::fread(piece.data(), 1, piece.size(), running)) != 0) {
        output.append(piece.data(), count);
    }
    ::pclose(running);
    return output;
}

/// Sends a request by `openssl s_client` while the loop runs.
awaitable<std::string> ask_by_openssl(std::uint16_t port, std::string options) {
    const std::string command =
        R"(printf 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' | timeout 20 openssl s_client -quiet -connect 127.0.0.1:)" +
        std::to_string(port) + " " + options + " 2>&1";
    auto output = std::async(std::launch::async, output_of, command);
    const auto see_is_done = [&output] {
        return output.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    };
    const bool is_done = co_await eventually(see_is_done);
    EXPECT_TRUE(is_done);
    co_return output.get();
}

bool is_served(const std::string& output) {
    return output.find("secure " + std::string(200'000, 'x')) != std::string::npos;
}

struct tls_case {
    std::string options;
    bool is_served;
};

/// Runs each case against one server.
awaitable<void> check_cases(server_scene* on, std::vector<tls_case> cases) {
    for (const tls_case& each : cases) {
        const std::string output = co_await ask_by_openssl(on->server.port(), each.options);
        EXPECT_EQ(is_served(output), each.is_served) << each.options << "\n"
                                                     << output.substr(0, 2000);
    }
}

// TLS 1.2 and 1.3 are spoken, older ones are not; of the protocols offered http/1.1 is chosen.
// Proves: X3
TEST(Tls, SpeaksCurrentVersions) {
    const test_certificates made;
    server_scene scene{telling(), secured(made)};
    const std::string trust = "-CAfile " + made.file("ca.pem") + " -verify_return_error ";
    scene.run(check_cases(
        &scene,
        {{trust + "-tls1_3", true},
         {trust + "-tls1_2", true},
         {trust + "-tls1_1 -cipher DEFAULT@SECLEVEL=0", false},
         {trust + "-alpn h2,http/1.1", true},
         {trust + "-alpn h2", false},
         {"-verify_return_error -CAfile " + made.file("other.pem"), false}}
    ));
}

// Where clients must show a certificate, one of the authority is served and nobody else.
// Proves: X3
TEST(Tls, AsksClientsForTheirCertificate) {
    const test_certificates made;
    http_server_settings settings = secured(made);
    settings.tls->client_ca_file = made.file("ca.pem");
    server_scene scene{telling(), settings};
    const std::string trust = "-CAfile " + made.file("ca.pem") + " ";
    const auto shown = [&](const std::string& name) {
        return trust + "-cert " + made.file(name + ".pem") + " -key " + made.file(name + ".key");
    };
    scene.run(
        check_cases(&scene, {{shown("client"), true}, {trust, false}, {shown("other"), false}})
    );
    EXPECT_EQ(scene.server.counters().requests, 1U);
}

// Who speaks no TLS there gets nothing, and keeps nothing busy.
TEST(Tls, DropsWhoSpeaksPlainly) {
    const test_certificates made;
    server_scene scene{telling(), secured(made)};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        co_await peer->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        const std::string nothing = co_await peer->receive_all();
        EXPECT_EQ(nothing.find("HTTP"), std::string::npos);
    };
    scene.run(test(client.get()));
    EXPECT_EQ(scene.server.counters().requests, 0U);
}

// A handshake that does not come is given up after the time for a head.
TEST(Tls, GivesUpOnASilentHandshake) {
    const test_certificates made;
    http_server_settings settings = secured(made);
    settings.head_time = milliseconds{50};
    server_scene scene{telling(), settings};
    const auto client = scene.connect();
    auto test = [](raw_client* peer) -> awaitable<void> {
        const std::string nothing = co_await peer->receive_all();
        EXPECT_EQ(nothing, "");
    };
    scene.run(test(client.get()));
}

// Files that are missing, or a key of another certificate, are refused at the start, by name.
TEST(Tls, RefusesWrongFilesAtTheStart) {
    const test_certificates made;
    std::string logged;
    set_log_sink([&logged](log_level, std::string_view line) { logged += line; });
    loop where;
    for (const std::string key : {"client.key", "nowhere.key", "ca.pem"}) {
        http_server_settings settings = secured(made);
        settings.tls->key_file = made.file(key);
        http_server server{where, settings, telling()};
        logged.clear();
        EXPECT_EQ(server.start().error(), errc::invalid_argument) << key;
        EXPECT_NE(logged.find(key), std::string::npos) << logged;
    }
    set_log_sink({});
}

}  // namespace
}  // namespace convene
