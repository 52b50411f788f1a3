// SPDX-License-Identifier: Apache-2.0
// Measures the server over HTTP, as a process of its own: messages a second, what each layer costs, live streams.
//
// usage: convene_bench_http [--json] [--messages N] [--folder PATH] [--program PATH]
#include "convene/loop.hpp"
#include "convene/task_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bench/load.hpp"
#include "bench/served_program.hpp"
#include "bench/wire_client.hpp"
#include "net/listening_socket.hpp"

namespace convene {
namespace {

using clock = std::chrono::steady_clock;
using seconds_f = std::chrono::duration<double>;

struct settings {
    bool as_json = false;
    std::size_t messages = 20'000;
    std::filesystem::path folder = std::filesystem::temp_directory_path();
    std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                    "convene";
};

std::string sqlite_url(const std::filesystem::path& database) {
    return "sqlite:///" + database.string();
}

// -- live streams ----------------------------------------------------------------------------------

/// When the readers saw a message.
struct sighting {
    clock::time_point first;
    clock::time_point last;
    std::size_t readers = 0;
};

struct reader {
    wire_client* wire;
    std::size_t wanted;           ///< messages
    std::vector<sighting>* seen;  ///< by message
    first_failure* failed;        ///< its flag is notified by sightings too
};

/// Counts frames by what begins their second line, which the end of a piece may cut in two.
awaitable<void> read_all_frames(reader* self) {
    constexpr std::string_view mark = "\nevent: message\n";
    std::string rest;
    for (std::size_t count = 0; count < self->wanted;) {
        rest += co_await self->wire->read_piece();
        std::size_t behind = 0;
        for (std::size_t found = rest.find(mark); found != std::string::npos;
             found = rest.find(mark, behind)) {
            behind = found + mark.size();
            sighting& seen = (*self->seen)[count++];
            seen.last = clock::now();
            seen.first = seen.readers++ == 0 ? seen.last : seen.first;
            self->failed->changed.notify_all();
        }
        rest.erase(0, std::max(behind, rest.size() - std::min(rest.size(), mark.size())));
    }
}

struct fan_out_figures {
    double first_p50_ms =
        0;  ///< from sending to the first reader: the commit, and what every reader waits for
    double last_p50_ms = 0;  ///< from sending to the last reader
    double last_p99_ms = 0;
    double spread_p50_ms = 0;  ///< from the first reader to the last
    double spread_p99_ms = 0;
    double idle_kib = 0;  ///< of the server's memory, per reader
};

/// Sends one message after the other, each when all have seen the one before.
awaitable<void> send_to_readers(
    wire_client* wire,
    std::string path,
    std::size_t readers,
    std::vector<sighting>* seen,
    first_failure* failed,
    std::vector<clock::time_point>* sent_at
) {
    for (const sighting& one : *seen) {
        sent_at->push_back(clock::now());
        const auto got = co_await wire->ask("POST", path, message(1024));
        if (got.status != 201) {
            throw std::runtime_error("a message was refused: " + got.body);
        }
        while (one.readers < readers && failed->what == nullptr) {
            const result<> waited = co_await failed->changed.wait();
            if (!waited) {
                throw boost::system::system_error(waited.error(), "readers see nothing");
            }
        }
    }
}

fan_out_figures figures_of(
    const std::vector<sighting>& seen, const std::vector<clock::time_point>& sent_at
) {
    std::vector<double> first;
    std::vector<double> last;
    std::vector<double> spread;
    const auto milliseconds_of = [](clock::duration span) { return seconds_f(span).count() * 1e3; };
    for (std::size_t i = 0; i < seen.size(); ++i) {
        first.push_back(milliseconds_of(seen[i].first - sent_at[i]));
        last.push_back(milliseconds_of(seen[i].last - sent_at[i]));
        spread.push_back(milliseconds_of(seen[i].last - seen[i].first));
    }
    fan_out_figures figures;
    figures.first_p50_ms = percentile(first, 50);
    figures.last_p50_ms = percentile(last, 50);
    figures.last_p99_ms = percentile(last, 99);
    figures.spread_p50_ms = percentile(spread, 50);
    figures.spread_p99_ms = percentile(spread, 99);
    return figures;
}

awaitable<fan_out_figures> measure_fan_out(
    loop* on, const served_program* server, std::size_t readers, std::size_t messages
) {
    const std::vector<std::string> rooms = co_await make_rooms(on, server->port(), 1);
    const std::string base = "/api/v1/rooms/" + rooms.front();
    wire_client wire{*on, server->port(), std::string{benchmark_token}};
    const double before = server->resident();
    std::vector<std::unique_ptr<wire_client>> wires;
    for (std::size_t i = 0; i < readers; ++i) {
        wires.push_back(
            std::make_unique<wire_client>(*on, server->port(), std::string{benchmark_token})
        );
        co_await wires.back()->open_stream(base + "/stream?after=-1");
    }
    const double held = server->resident() - before;

    std::vector<sighting> seen(messages);
    std::vector<clock::time_point> sent_at;
    first_failure failed;
    std::vector<reader> reading;
    for (const auto& one : wires) {
        reading.push_back({one.get(), messages, &seen, &failed});
    }
    {
        task_scope scope{*on};
        for (reader& one : reading) {
            scope.spawn("reader", guarded(read_all_frames(&one), &failed));
        }
        auto sending = send_to_readers(
            &wire, base + "/events?wait=committed", readers, &seen, &failed, &sent_at
        );
        co_await guarded(std::move(sending), &failed);
        if (failed.what != nullptr) {
            scope.request_stop();
        }
        co_await scope.join();
    }
    failed.rethrow();
    fan_out_figures figures = figures_of(seen, sent_at);
    figures.idle_kib = held / static_cast<double>(readers);
    co_return figures;
}

// -- the run ---------------------------------------------------------------------------------------

void print(const settings& with, const load& what, const figures& seen, std::size_t rooms) {
    const char* format =
        with.as_json
            ? R"({{"request":"{}","rooms":{},"connections":{},"per_second":{:.0f},"p50_ms":{:.3f},"p99_ms":{:.3f},"server_user_us":{:.1f},"server_system_us":{:.1f}}})"
              "\n"
            : "| {} | {} | {} | {:.0f} | {:.3f} | {:.3f} | {:.1f} | {:.1f} |\n";
    fmt::print(
        fmt::runtime(format),
        what.name,
        rooms,
        what.connections,
        seen.per_second,
        seen.p50_ms,
        seen.p99_ms,
        seen.user_us,
        seen.system_us
    );
    std::fflush(stdout);
}

/// Requests that go deeper one after the other: the differences are what the layers cost.
void measure_layers(const settings& with, loop& on, const served_program& server) {
    const auto rooms = run_bounded(on, make_rooms(&on, server.port(), 1));
    const std::string event = "/api/v1/rooms/" + rooms.front() + "/events";
    load one{
        .name = "first message",
        .method = "POST",
        .paths = {event},
        .body = message(1024),
        .status = 201,
        .requests = 1
    };
    static_cast<void>(run_bounded(on, measure(&on, {server.running()}, one)));
    const std::string unknown = R"({"content":{"type":"text","body":"x"},"unknown":1})";
    const std::vector<load> loads{
        {.name = "GET livez", .paths = {"/livez"}},
        {.name = "GET auth/me", .paths = {"/api/v1/auth/me"}},
        {.name = "GET one event", .paths = {event + "?limit=1"}},
        {.name = "POST event, refused (422)",
         .method = "POST",
         .paths = {event},
         .body = unknown,
         .status = 422},
        {.name = "POST event, committed",
         .method = "POST",
         .paths = {event + "?wait=committed"},
         .body = message(1024),
         .status = 201},
        {.name = "POST event, delivered",
         .method = "POST",
         .paths = {event + "?wait=delivered"},
         .body = message(1024),
         .status = 201},
    };
    for (load what : loads) {
        what.connections = 16;
        what.requests = with.messages;
        print(with, what, run_bounded(on, measure(&on, {server.running()}, what)), 1);
    }
}

void measure_sending(const settings& with, loop& on, const served_program& server) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{200}}) {
        const auto rooms = run_bounded(on, make_rooms(&on, server.port(), count));
        for (const std::size_t senders : {std::size_t{1}, std::size_t{16}, std::size_t{64}}) {
            load what{
                .name = "send",
                .method = "POST",
                .paths = paths_to(rooms, "/events?wait=committed"),
                .body = message(1024),
                .status = 201
            };
            what.connections = senders;
            // A single sender waits for the disk each time: fewer messages tell as much.
            what.requests = senders == 1 ? with.messages / 10 : with.messages;
            print(with, what, run_bounded(on, measure(&on, {server.running()}, what)), count);
        }
    }
}

// -- a hook that hangs -----------------------------------------------------------------------------

/// One message into a room whose hook does not answer; it is given up with its hook.
awaitable<void> send_into(loop* on, const served_program* server, std::string room) {
    wire_client wire{*on, server->port(), std::string{benchmark_token}};
    const auto got = co_await wire.ask(
        "POST", "/api/v1/rooms/" + room + "/events?wait=committed", message(1024)
    );
    if (got.status != 201) {
        throw std::runtime_error("beside a hook: " + got.body);
    }
}

/// Fifty rooms whose hook hangs, then the load to other rooms while a message waits in each of the fifty.
awaitable<figures> measure_beside_hook(
    loop* on, const served_program* server, std::uint16_t silent_port, load what
) {
    constexpr std::size_t hung = 50;
    const auto rooms = co_await make_rooms(on, server->port(), hung);
    wire_client wire{*on, server->port(), std::string{benchmark_token}};
    for (const std::string& room : rooms) {
        const auto made = co_await wire.ask(
            "POST",
            "/api/v1/rooms/" + room + "/hooks",
            fmt::format(
                R"({{"url":"http://127.0.0.1:{}/","mode":"remote","deadline_ms":10000,"on_failure":"fail_open"}})",
                silent_port
            )
        );
        if (made.status != 201) {
            throw std::runtime_error("no hook was made: " + made.body);
        }
    }
    first_failure failed;
    figures seen;
    {
        task_scope scope{*on};
        for (const std::string& room : rooms) {
            scope.spawn("hung", guarded(send_into(on, server, room), &failed));
        }
        std::vector<server_process> servers{server->running()};
        seen = co_await measure(on, std::move(servers), std::move(what));
        co_await scope.join();
    }
    failed.rethrow();
    co_return seen;
}

void measure_hooks(const settings& with, loop& on, const served_program& server) {
    // Connections to it are made by the kernel, and nobody ever answers.
    const result<listening_socket> silent = listening_socket::open("127.0.0.1", 0);
    if (!silent) {
        throw std::runtime_error("no socket that stays silent");
    }
    const auto rooms = run_bounded(on, make_rooms(&on, server.port(), 50));
    load what{
        .name = "send",
        .method = "POST",
        .paths = paths_to(rooms, "/events?wait=committed"),
        .body = message(1024),
        .status = 201,
        .connections = 16,
        .requests = with.messages
    };
    print(with, what, run_bounded(on, measure(&on, {server.running()}, what)), rooms.size());
    what.name = "send, a hook hangs on 50 other rooms";
    auto beside = measure_beside_hook(&on, &server, silent->port(), what);
    print(with, what, run_bounded(on, std::move(beside)), rooms.size());
}

void measure_streams(const settings& with, loop& on, const std::filesystem::path& folder) {
    for (const std::size_t readers : {std::size_t{10}, std::size_t{1000}}) {
        // A server of its own: what it holds for its readers is told by what it holds more than before.
        const served_program server{
            with.program, sqlite_url(folder / fmt::format("fan-out-{}.db", readers))
        };
        const std::size_t messages = readers == 1000 ? 100 : 1000;
        const fan_out_figures seen = run_bounded(
            on, measure_fan_out(&on, &server, readers, messages)
        );
        const char* format =
            with.as_json
                ? R"({{"readers":{},"first_p50_ms":{:.2f},"last_p50_ms":{:.2f},"last_p99_ms":{:.2f},"spread_p50_ms":{:.2f},"spread_p99_ms":{:.2f},"idle_reader_kib":{:.1f}}})"
                  "\n"
                : "| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} |\n";
        fmt::print(
            fmt::runtime(format),
            readers,
            seen.first_p50_ms,
            seen.last_p50_ms,
            seen.last_p99_ms,
            seen.spread_p50_ms,
            seen.spread_p99_ms,
            seen.idle_kib
        );
        std::fflush(stdout);
    }
}

void print_heading(const settings& with, std::string_view columns, int count) {
    if (with.as_json) {
        return;
    }
    fmt::print("\n| {} |\n|", columns);
    for (int i = 0; i < count; ++i) {
        fmt::print(" --- |");
    }
    fmt::print("\n");
}

void allow_many_files() {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

settings read_settings(int argc, char** argv) {
    settings with;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--json") {
            with.as_json = true;
        } else if (argument == "--messages" && i + 1 < argc) {
            with.messages = std::strtoull(argv[++i], nullptr, 10);
        } else if (argument == "--folder" && i + 1 < argc) {
            with.folder = argv[++i];
        } else if (argument == "--program" && i + 1 < argc) {
            with.program = argv[++i];
        } else {
            throw std::invalid_argument(
                "usage: convene_bench_http [--json] [--messages N] [--folder PATH] [--program PATH]"
            );
        }
    }
    return with;
}

void run(settings with) {
    allow_many_files();
    const std::filesystem::path folder = with.folder / fmt::format("convene-bench-{}", getpid());
    std::filesystem::create_directories(folder);
    loop on;
    constexpr std::string_view columns =
        "request | rooms | connections | requests/s | p50 ms | p99 ms | server user us | server "
        "system us";
    constexpr int column_count = 8;
    {
        const served_program server{with.program, sqlite_url(folder / "http.db")};
        print_heading(with, columns, column_count);
        measure_layers(with, on, server);
        print_heading(with, columns, column_count);
        measure_sending(with, on, server);
    }
    {
        const served_program server{
            with.program, sqlite_url(folder / "hooks.db"), {{"OUTGOING_ALLOWED", "127.0.0.1"}}
        };
        print_heading(with, columns, column_count);
        measure_hooks(with, on, server);
    }
    print_heading(
        with,
        "readers | send to first p50 ms | send to last p50 ms | p99 ms | first to last p50 ms | "
        "p99 ms | "
        "KiB per idle reader",
        7
    );
    measure_streams(with, on, folder);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace convene

int main(int argc, char** argv) {
    try {
        convene::run(convene::read_settings(argc, argv));
        return 0;
    } catch (const std::exception& failed) {
        fmt::print(stderr, "convene_bench_http: {}\n", failed.what());
        return 1;
    }
}
