// SPDX-License-Identifier: Apache-2.0
// Measures the engine: commits a second, latency, allocations and CPU per message, beside what the disk can do.
//
// usage: convene_bench_engine [--json] [--messages N] [--folder PATH]
#include "convene/loop.hpp"
#include "convene/memory_store.hpp"
#include "convene/room_kit.hpp"
#include "convene/sqlite_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "bench/counted_new.hpp"
#include "store/store.hpp"

namespace convene {
namespace {

using clock = std::chrono::steady_clock;
using seconds_f = std::chrono::duration<double>;

struct plan {
    std::string store;
    std::size_t rooms = 1;
    std::size_t senders = 1;
    std::size_t messages = 20'000;
};

struct figures {
    double per_second = 0;
    double p50_ms = 0;
    double p99_ms = 0;
    double cpu_us = 0;       ///< user and system time of the whole process, per message
    double allocations = 0;  ///< per message
};

double cpu_seconds() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

/// One sender: its share of the messages, one after the other, round the rooms.
struct sender {
    room_kit* kit;
    const std::vector<room_id>* rooms;
    std::size_t first_room;
    std::size_t messages;
    std::string body;
    std::vector<double>* latencies_ms;
    std::size_t* failures;
};

awaitable<void> send_all(sender* self) {
    for (std::size_t i = 0; i < self->messages; ++i) {
        outgoing_event sent;
        sent.room = (*self->rooms)[(self->first_room + i) % self->rooms->size()];
        sent.content = content::text(self->body);
        const auto started = clock::now();
        const auto receipt = co_await self->kit->send_event(std::move(sent), wait_for::committed);
        self->latencies_ms->push_back(seconds_f(clock::now() - started).count() * 1e3);
        if (!receipt) {
            ++*self->failures;
        }
    }
}

awaitable<figures> measure(loop* on, room_kit* kit, plan what) {
    const auto opened = co_await kit->init();
    if (!opened) {
        throw boost::system::system_error(opened.error());
    }
    std::vector<room_id> rooms;
    for (std::size_t i = 0; i < what.rooms; ++i) {
        std::vector<binding> no_bindings;
        std::vector<participant> nobody;
        const auto made = co_await kit->create_room(
            room(), std::move(no_bindings), std::move(nobody)
        );
        if (!made) {
            throw boost::system::system_error(made.error());
        }
        rooms.push_back(made->id);
    }

    std::vector<double> latencies;
    latencies.reserve(what.messages);
    std::size_t failures = 0;
    std::vector<sender> senders;
    for (std::size_t i = 0; i < what.senders; ++i) {
        const std::size_t share = what.messages / what.senders;
        senders.push_back(
            {kit,
             &rooms,
             i * rooms.size() / what.senders,
             share,
             std::string(1024, 'x'),
             &latencies,
             &failures}
        );
    }

    const double cpu_before = cpu_seconds();
    const std::uint64_t allocations_before = allocation_count();
    const auto started = clock::now();
    {
        task_scope scope{*on};
        for (sender& one : senders) {
            scope.spawn("sender", send_all(&one));
        }
        co_await scope.join();
    }
    const double took = seconds_f(clock::now() - started).count();
    const auto sent = static_cast<double>(latencies.size());
    if (failures != 0) {
        throw std::runtime_error(fmt::format("{} sends failed", failures));
    }

    figures seen;
    seen.cpu_us = (cpu_seconds() - cpu_before) * 1e6 / sent;
    seen.allocations = static_cast<double>(allocation_count() - allocations_before) / sent;
    seen.per_second = sent / took;
    std::ranges::sort(latencies);
    seen.p50_ms = latencies[latencies.size() / 2];
    seen.p99_ms = latencies[latencies.size() * 99 / 100];
    co_await kit->close();
    co_return seen;
}

figures run(const plan& what, const std::filesystem::path& folder) {
    loop on;
    std::unique_ptr<conversation_store> store;
    if (what.store == "memory") {
        store = make_memory_store(system_wall_clock());
    } else {
        sqlite_options options;
        options.path = folder / fmt::format("bench-{}-{}.db", what.rooms, what.senders);
        store = open_sqlite_store(on, system_wall_clock(), options, {}).value();
    }
    const auto locks = make_in_memory_lock_manager(on);
    room_kit_parts parts;
    parts.where = &on;
    parts.store = store.get();
    parts.locks = locks.get();
    room_kit kit{parts, {}};
    return on.run_until_done(measure(&on, &kit, what));
}

/// The bare effect, one durable transaction a message: what the same file costs without us.
double raw_sqlite_per_second(const std::filesystem::path& folder) {
    sqlite3* db = nullptr;
    const std::string path = (folder / "raw.db").string();
    if (sqlite3_open(path.c_str(), &db) != SQLITE_OK) {
        throw std::runtime_error("cannot open " + path);
    }
    const auto exec = [db](const char* sql) {
        if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
            throw std::runtime_error(sqlite3_errmsg(db));
        }
    };
    exec(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE rooms(id INTEGER PRIMARY KEY, next INTEGER) STRICT;"
        "CREATE TABLE events(room INTEGER, idx INTEGER, body TEXT, PRIMARY KEY(room, idx)) STRICT;"
        "INSERT INTO rooms VALUES(1, 0);"
    );
    sqlite3_stmt* bump = nullptr;
    sqlite3_stmt* insert = nullptr;
    sqlite3_prepare_v2(db, "UPDATE rooms SET next = next + 1 WHERE id = 1", -1, &bump, nullptr);
    sqlite3_prepare_v2(db, "INSERT INTO events VALUES(1, ?1, ?2)", -1, &insert, nullptr);
    const std::string body(1024, 'x');
    const auto started = clock::now();
    int done = 0;
    for (; seconds_f(clock::now() - started).count() < 2.0; ++done) {
        exec("BEGIN IMMEDIATE");
        sqlite3_step(bump);
        sqlite3_reset(bump);
        sqlite3_bind_int(insert, 1, done);
        sqlite3_bind_text(insert, 2, body.c_str(), -1, SQLITE_STATIC);
        sqlite3_step(insert);
        sqlite3_reset(insert);
        exec("COMMIT");
    }
    const double took = seconds_f(clock::now() - started).count();
    sqlite3_finalize(bump);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return done / took;
}

double fdatasync_us(const std::filesystem::path& folder) {
    const std::string path = (folder / "sync.bin").string();
    const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        throw std::runtime_error("cannot write " + path);
    }
    const std::string block(8192, 'x');
    constexpr int rounds = 500;
    const auto started = clock::now();
    for (int i = 0; i < rounds; ++i) {
        if (::pwrite(fd, block.data(), block.size(), 0) < 0 || ::fdatasync(fd) != 0) {
            ::close(fd);
            throw std::runtime_error("cannot sync " + path);
        }
    }
    const double took = seconds_f(clock::now() - started).count();
    ::close(fd);
    return took / rounds * 1e6;
}

int main_of(int argc, char** argv) {
    bool as_json = false;
    std::size_t messages = 20'000;
    std::filesystem::path folder = std::filesystem::temp_directory_path();
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--json") {
            as_json = true;
        } else if (argument == "--messages" && i + 1 < argc) {
            messages = std::strtoull(argv[++i], nullptr, 10);
        } else if (argument == "--folder" && i + 1 < argc) {
            folder = argv[++i];
        } else {
            fmt::print(
                stderr, "usage: convene_bench_engine [--json] [--messages N] [--folder PATH]\n"
            );
            return 2;
        }
    }
    folder /= fmt::format("convene-bench-{}", getpid());
    std::filesystem::create_directories(folder);

    const double sync_us = fdatasync_us(folder);
    const double raw = raw_sqlite_per_second(folder);
    if (!as_json) {
        fmt::print(
            "fdatasync {:.0f} us; raw SQLite, one durable transaction a message: {:.0f}/s\n\n",
            sync_us,
            raw
        );
        fmt::print(
            "| store | rooms | senders | msg/s | p50 ms | p99 ms | CPU us/msg | allocations/msg |\n"
        );
        fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    }
    for (const char* store : {"memory", "sqlite"}) {
        for (const std::size_t rooms : {std::size_t{1}, std::size_t{1000}}) {
            for (const std::size_t senders : {std::size_t{1}, std::size_t{16}, std::size_t{64}}) {
                plan what{store, rooms, senders, messages};
                // A single sender waits for the disk each time: fewer messages tell as much.
                if (what.store == "sqlite" && senders == 1) {
                    what.messages = messages / 10;
                }
                const figures seen = run(what, folder);
                const char* format =
                    as_json
                        ? R"({{"store":"{}","rooms":{},"senders":{},"per_second":{:.0f},"p50_ms":{:.3f},"p99_ms":{:.3f},"cpu_us":{:.1f},"allocations":{:.1f}}})"
                          "\n"
                        : "| {} | {} | {} | {:.0f} | {:.3f} | {:.3f} | {:.1f} | {:.1f} |\n";
                fmt::print(
                    fmt::runtime(format),
                    store,
                    rooms,
                    senders,
                    seen.per_second,
                    seen.p50_ms,
                    seen.p99_ms,
                    seen.cpu_us,
                    seen.allocations
                );
            }
        }
    }
    if (as_json) {
        fmt::print(
            R"({{"fdatasync_us":{:.0f},"raw_sqlite_per_second":{:.0f}}})"
            "\n",
            sync_us,
            raw
        );
    }
    std::filesystem::remove_all(folder);
    return 0;
}

}  // namespace
}  // namespace convene

int main(int argc, char** argv) {
    try {
        return convene::main_of(argc, argv);
    } catch (const std::exception& failed) {
        fmt::print(stderr, "convene_bench_engine: {}\n", failed.what());
        return 1;
    }
}
