// SPDX-License-Identifier: Apache-2.0
// Load: connections, latencies, and what the servers used meanwhile.
#include "bench/load.hpp"

#include "convene/task_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/canonical_json.hpp"
#include "bench/wire_client.hpp"

namespace convene {

namespace {

using bench_clock = std::chrono::steady_clock;
using seconds_f = std::chrono::duration<double>;

struct sender {
    wire_client* wire;
    const load* what;
    std::size_t first_path;
    std::vector<double>* latencies_ms;
};

awaitable<void> send_all(sender* self) {
    const load& what = *self->what;
    for (std::size_t i = 0; i < what.requests / what.connections; ++i) {
        std::string path = what.paths[(self->first_path + i) % what.paths.size()];
        const auto started = bench_clock::now();
        const auto got = co_await self->wire->ask(what.method, std::move(path), what.body);
        self->latencies_ms->push_back(seconds_f(bench_clock::now() - started).count() * 1e3);
        if (got.status != what.status) {
            throw std::runtime_error(fmt::format("{}: {} {}", what.name, got.status, got.body));
        }
    }
}

cpu_time used_by(const std::vector<server_process>& servers) {
    cpu_time all;
    for (const server_process& one : servers) {
        const cpu_time used = cpu_time_of(one.process);
        all.user += used.user;
        all.system += used.system;
    }
    return all;
}

}  // namespace

void first_failure::rethrow() const {
    if (what != nullptr) {
        std::rethrow_exception(what);
    }
}

awaitable<void> guarded(awaitable<void> work, first_failure* failed) {
    try {
        co_await std::move(work);
    } catch (const std::exception&) {
        failed->what = failed->what == nullptr ? std::current_exception() : failed->what;
        failed->changed.notify_all();
    }
}

double percentile(std::vector<double>& values, std::size_t percent) {
    std::ranges::sort(values);
    return values[(values.size() - 1) * percent / 100];
}

awaitable<figures> measure(loop* on, std::vector<server_process> servers, load what) {
    std::vector<double> latencies;
    latencies.reserve(what.requests);
    std::vector<std::unique_ptr<wire_client>> wires;
    std::vector<sender> senders;
    for (std::size_t i = 0; i < what.connections; ++i) {
        const std::uint16_t port = servers[i % servers.size()].port;
        wires.push_back(std::make_unique<wire_client>(*on, port, std::string{benchmark_token}));
        const std::size_t first = i * what.paths.size() / what.connections;
        senders.push_back({wires.back().get(), &what, first, &latencies});
    }
    first_failure failed;
    const cpu_time before = used_by(servers);
    const auto started = bench_clock::now();
    {
        task_scope scope{*on};
        for (sender& one : senders) {
            scope.spawn("sender", guarded(send_all(&one), &failed));
        }
        co_await scope.join();
    }
    failed.rethrow();
    const double took = seconds_f(bench_clock::now() - started).count();
    const cpu_time after = used_by(servers);
    const auto sent = static_cast<double>(latencies.size());
    figures seen;
    seen.per_second = sent / took;
    seen.user_us = (after.user - before.user) * 1e6 / sent;
    seen.system_us = (after.system - before.system) * 1e6 / sent;
    seen.p50_ms = percentile(latencies, 50);
    seen.p99_ms = percentile(latencies, 99);
    co_return seen;
}

awaitable<std::vector<std::string>> make_rooms(loop* on, std::uint16_t port, std::size_t count) {
    wire_client wire{*on, port, std::string{benchmark_token}};
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) {
        const auto made = co_await wire.ask("POST", "/api/v1/rooms", "{}");
        ids.push_back(find_text(made.body, "id").value_or(""));
        if (made.status != 201 || ids.back().empty()) {
            throw std::runtime_error("no room was made: " + made.body);
        }
    }
    co_return ids;
}

std::string message(std::size_t bytes, recipients who) {
    return fmt::format(
        R"({{"content":{{"type":"text","body":"{}"}}{}}})",
        std::string(bytes, 'x'),
        who == recipients::none ? R"(,"channel_id":"web")" : ""
    );
}

std::vector<std::string> paths_to(const std::vector<std::string>& rooms, std::string_view rest) {
    std::vector<std::string> paths;
    paths.reserve(rooms.size());
    for (const std::string& room : rooms) {
        paths.push_back(fmt::format("/api/v1/rooms/{}{}", room, rest));
    }
    return paths;
}

}  // namespace convene
