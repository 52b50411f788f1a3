// SPDX-License-Identifier: Apache-2.0
// Sends messages over HTTP to servers that run already, and prints one JSON object: the load of `bench/cluster`.
//
// usage: convene_bench_send --servers PORT:PID,... [--rooms N | --into ID,...] [--senders N] [--messages N]
//                           [--wait committed|delivered] [--recipients 0|1]
//
// `--into` names rooms that are there, and sends into them what is measured and nothing before.
#include "convene/loop.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/load.hpp"
#include "bench/wire_client.hpp"

namespace convene {
namespace {

struct settings {
    std::vector<server_process> servers;
    std::size_t rooms = 1;
    std::vector<std::string> into;
    std::size_t senders = 1;
    std::size_t messages = 1000;
    std::string wait = "committed";
    recipients who = recipients::none;
};

std::vector<std::string> items_of(std::string_view list) {
    std::vector<std::string> items;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        items.emplace_back(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return items;
}

settings read_settings(int argc, char** argv) {
    settings with;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const char* const value = argv[i + 1];
        if (name == "--servers") {
            for (const std::string& one : items_of(value)) {
                const std::size_t colon = one.find(':');
                server_process server;
                server.port = static_cast<std::uint16_t>(std::strtoul(one.c_str(), nullptr, 10));
                server.process = static_cast<pid_t>(
                    std::strtol(one.c_str() + colon + 1, nullptr, 10)
                );
                with.servers.push_back(server);
            }
        } else if (name == "--rooms") {
            with.rooms = std::strtoull(value, nullptr, 10);
        } else if (name == "--into") {
            with.into = items_of(value);
        } else if (name == "--senders") {
            with.senders = std::strtoull(value, nullptr, 10);
        } else if (name == "--messages") {
            with.messages = std::strtoull(value, nullptr, 10);
        } else if (name == "--wait") {
            with.wait = value;
        } else if (name == "--recipients") {
            with.who = std::string_view{value} == "1" ? recipients::the_web : recipients::none;
        } else {
            throw std::invalid_argument(std::string{name});
        }
    }
    if (with.servers.empty()) {
        throw std::invalid_argument("--servers is needed");
    }
    return with;
}

void run(const settings& with) {
    loop on;
    std::vector<std::string> rooms = with.into;
    if (rooms.empty()) {
        rooms = run_bounded(on, make_rooms(&on, with.servers.front().port, with.rooms));
    }
    load what{
        .name = "send",
        .method = "POST",
        .paths = paths_to(rooms, "/events?wait=" + with.wait),
        .body = message(1024, with.who),
        .status = 201
    };
    if (with.into.empty()) {
        // Once round, so that nothing is done for the first time while it is measured.
        what.connections = std::min(with.senders, with.rooms);
        what.requests = with.rooms;
        static_cast<void>(run_bounded(on, measure(&on, with.servers, what)));
    }
    what.connections = with.senders;
    what.requests = with.messages;
    const figures seen = run_bounded(on, measure(&on, with.servers, what));
    fmt::print(
        R"({{"per_second":{:.0f},"p50_ms":{:.3f},"p99_ms":{:.3f},"server_us":{:.1f}}})"
        "\n",
        seen.per_second,
        seen.p50_ms,
        seen.p99_ms,
        seen.user_us + seen.system_us
    );
}

}  // namespace
}  // namespace convene

int main(int argc, char** argv) {
    try {
        convene::run(convene::read_settings(argc, argv));
        return 0;
    } catch (const std::exception& failed) {
        fmt::print(stderr, "convene_bench_send: {}\n", failed.what());
        return 1;
    }
}
