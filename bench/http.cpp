// SPDX-License-Identifier: Apache-2.0
// Measures the server over HTTP, as a process of its own: messages a second, what each layer costs, live streams.
//
// usage: convene_bench_http [--json] [--messages N] [--folder PATH] [--program PATH]
#include "convene/loop.hpp"
#include "convene/task_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/canonical_json.hpp"
#include "bench/wire_client.hpp"

namespace convene {
namespace {

using clock = std::chrono::steady_clock;
using seconds_f = std::chrono::duration<double>;

constexpr std::string_view token = "cvt_benchmarkbenchmarkbenchmarkbenchmarkbenchmark";

/// Of one measurement: a server that hangs ends the run.
constexpr std::chrono::minutes longest_measurement{5};

struct settings {
    bool as_json = false;
    std::size_t messages = 20'000;
    std::filesystem::path folder = std::filesystem::temp_directory_path();
    std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                    "convene";
};

// -- the server ------------------------------------------------------------------------------------

struct cpu_time {
    double user = 0;    ///< seconds
    double system = 0;  ///< seconds
};

/// `convene serve` on a fresh database, for as long as this lives.
class served_program {
   public:
    served_program(const settings& with, const std::filesystem::path& database) {
        std::array<int, 2> said{};
        if (::pipe(said.data()) != 0) {
            throw std::runtime_error("no pipe for the server");
        }
        process_ = ::fork();
        if (process_ == 0) {
            become_server(with, database, said);
        }
        ::close(said[1]);
        output_ = ::fdopen(said[0], "r");
        port_ = read_port();
    }

    ~served_program() {
        ::kill(process_, SIGTERM);
        ::waitpid(process_, nullptr, 0);
        std::fclose(output_);
    }

    served_program(const served_program&) = delete;
    served_program& operator=(const served_program&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    [[nodiscard]] cpu_time used() const {
        const std::string line = read_all(fmt::format("/proc/{}/stat", process_));
        // Behind the name, which may hold anything, `utime` and `stime` are the 12th and 13th field.
        std::size_t at = line.rfind(')');
        for (int field = 0; field < 12; ++field) {
            at = line.find(' ', at + 1);
        }
        char* next = nullptr;
        const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
        const double user = std::strtod(line.c_str() + at, &next);
        return {user / ticks_a_second, std::strtod(next, nullptr) / ticks_a_second};
    }

    /// KiB of memory that it holds.
    [[nodiscard]] double resident() const {
        const std::string text = read_all(fmt::format("/proc/{}/status", process_));
        return std::strtod(text.c_str() + text.find("VmRSS:") + 6, nullptr);
    }

   private:
    [[noreturn]] static void become_server(
        const settings& with, const std::filesystem::path& database, const std::array<int, 2>& said
    ) {
        ::dup2(said[1], STDOUT_FILENO);
        ::setenv("BOOTSTRAP_TOKEN", std::string{token}.c_str(), 1);
        ::setenv("RATE_LIMIT_PER_TOKEN", "1000000", 1);
        ::setenv("LOG_LEVEL", "error", 1);
        ::setenv("DB_URL", ("sqlite:///" + database.string()).c_str(), 1);
        ::execl(with.program.c_str(), "convene", "--port", "0", "serve", nullptr);
        ::_exit(127);
    }

    std::uint16_t read_port() {
        std::array<char, 512> line{};
        if (std::fgets(line.data(), line.size(), output_) == nullptr) {
            throw std::runtime_error("the server did not start");
        }
        const std::string text{line.data()};
        return static_cast<std::uint16_t>(
            std::strtoul(text.c_str() + text.rfind(':') + 1, nullptr, 10)
        );
    }

    static std::string read_all(const std::string& path) {
        std::ifstream file{path};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    pid_t process_ = -1;
    std::FILE* output_ = nullptr;
    std::uint16_t port_ = 0;
};

// -- requests --------------------------------------------------------------------------------------

/// The same request again and again, or one after the other round some paths.
struct load {
    std::string name;
    std::string method = "GET";
    std::vector<std::string> paths;
    std::string body{};
    int status = 200;
    std::size_t connections = 1;
    std::size_t requests = 0;
};

struct figures {
    double per_second = 0;
    double p50_ms = 0;
    double p99_ms = 0;
    double user_us = 0;    ///< of the server, per request
    double system_us = 0;  ///< of the server, per request
};

/// What went wrong in one of several tasks: it is thrown where they are joined.
struct first_failure {
    std::exception_ptr what;
    wait_flag changed;

    void rethrow() const {
        if (what != nullptr) {
            std::rethrow_exception(what);
        }
    }
};

awaitable<void> guarded(awaitable<void> work, first_failure* failed) {
    try {
        co_await std::move(work);
    } catch (const std::exception&) {
        failed->what = failed->what == nullptr ? std::current_exception() : failed->what;
        failed->changed.notify_all();
    }
}

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
        const auto started = clock::now();
        const auto got = co_await self->wire->ask(what.method, std::move(path), what.body);
        self->latencies_ms->push_back(seconds_f(clock::now() - started).count() * 1e3);
        if (got.status != what.status) {
            throw std::runtime_error(fmt::format("{}: {} {}", what.name, got.status, got.body));
        }
    }
}

double percentile(std::vector<double>& values, std::size_t percent) {
    std::ranges::sort(values);
    return values[(values.size() - 1) * percent / 100];
}

awaitable<figures> measure(loop* on, const served_program* server, load what) {
    std::vector<double> latencies;
    latencies.reserve(what.requests);
    std::vector<std::unique_ptr<wire_client>> wires;
    std::vector<sender> senders;
    for (std::size_t i = 0; i < what.connections; ++i) {
        wires.push_back(std::make_unique<wire_client>(*on, server->port(), std::string{token}));
        const std::size_t first = i * what.paths.size() / what.connections;
        senders.push_back({wires.back().get(), &what, first, &latencies});
    }
    first_failure failed;
    const cpu_time before = server->used();
    const auto started = clock::now();
    {
        task_scope scope{*on};
        for (sender& one : senders) {
            scope.spawn("sender", guarded(send_all(&one), &failed));
        }
        co_await scope.join();
    }
    failed.rethrow();
    const double took = seconds_f(clock::now() - started).count();
    const cpu_time after = server->used();
    const auto sent = static_cast<double>(latencies.size());
    figures seen;
    seen.per_second = sent / took;
    seen.user_us = (after.user - before.user) * 1e6 / sent;
    seen.system_us = (after.system - before.system) * 1e6 / sent;
    seen.p50_ms = percentile(latencies, 50);
    seen.p99_ms = percentile(latencies, 99);
    co_return seen;
}

awaitable<std::vector<std::string>> make_rooms(
    loop* on, const served_program* server, std::size_t count
) {
    wire_client wire{*on, server->port(), std::string{token}};
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

std::string message(std::size_t bytes) {
    return fmt::format(
        R"({{"content":{{"type":"text","body":"{}"}},"channel_id":"web"}})", std::string(bytes, 'x')
    );
}

std::vector<std::string> paths_to(const std::vector<std::string>& rooms, std::string_view rest) {
    std::vector<std::string> paths;
    for (const std::string& room : rooms) {
        paths.push_back(fmt::format("/api/v1/rooms/{}{}", room, rest));
    }
    return paths;
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
    const std::vector<std::string> rooms = co_await make_rooms(on, server, 1);
    const std::string base = "/api/v1/rooms/" + rooms.front();
    wire_client wire{*on, server->port(), std::string{token}};
    const double before = server->resident();
    std::vector<std::unique_ptr<wire_client>> wires;
    for (std::size_t i = 0; i < readers; ++i) {
        wires.push_back(std::make_unique<wire_client>(*on, server->port(), std::string{token}));
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

template <class T>
T run_bounded(loop& on, awaitable<T> work) {
    return on.run_until_done(
        with_deadline(deadline{on.now() + longest_measurement}, std::move(work))
    );
}

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
    const auto rooms = run_bounded(on, make_rooms(&on, &server, 1));
    const std::string event = "/api/v1/rooms/" + rooms.front() + "/events";
    load one{
        .name = "first message",
        .method = "POST",
        .paths = {event},
        .body = message(1024),
        .status = 201,
        .requests = 1
    };
    static_cast<void>(run_bounded(on, measure(&on, &server, one)));
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
        print(with, what, run_bounded(on, measure(&on, &server, what)), 1);
    }
}

void measure_sending(const settings& with, loop& on, const served_program& server) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{200}}) {
        const auto rooms = run_bounded(on, make_rooms(&on, &server, count));
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
            print(with, what, run_bounded(on, measure(&on, &server, what)), count);
        }
    }
}

void measure_streams(const settings& with, loop& on, const std::filesystem::path& folder) {
    for (const std::size_t readers : {std::size_t{10}, std::size_t{1000}}) {
        // A server of its own: what it holds for its readers is told by what it holds more than before.
        const served_program server{with, folder / fmt::format("fan-out-{}.db", readers)};
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
        const served_program server{with, folder / "http.db"};
        print_heading(with, columns, column_count);
        measure_layers(with, on, server);
        print_heading(with, columns, column_count);
        measure_sending(with, on, server);
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
