// SPDX-License-Identifier: Apache-2.0
// One of several processes that want the same lease again and again, and prints how long each wait was: the contenders
// of `bench/cluster`.
//
// usage: convene_bench_lease --database URL --kind room|delivery --name NAME --tenure-ms N --seconds N
#include "convene/lease.hpp"

#include "convene/loop.hpp"
#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/wait.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/store.hpp"

namespace convene {
namespace {

/// Longer than anybody waits who is served at all.
constexpr std::chrono::seconds patience{60};
/// As a delivery lane does whose claim others want (`room/lane`).
constexpr std::chrono::milliseconds stay_away{40};

struct settings {
    std::string database;
    lease_kind kind = lease_kind::room;
    std::string name = "bench";
    std::chrono::milliseconds tenure{5};
    std::chrono::seconds lasting{5};
};

settings read_settings(int argc, char** argv) {
    settings with;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const char* const value = argv[i + 1];
        if (name == "--database") {
            with.database = value;
        } else if (name == "--kind") {
            const bool is_room = std::string_view{value} == "room";
            with.kind = is_room ? lease_kind::room : lease_kind::delivery;
        } else if (name == "--name") {
            with.name = value;
        } else if (name == "--tenure-ms") {
            with.tenure = std::chrono::milliseconds{std::strtol(value, nullptr, 10)};
        } else if (name == "--seconds") {
            with.lasting = std::chrono::seconds{std::strtol(value, nullptr, 10)};
        } else {
            throw std::invalid_argument(std::string{name});
        }
    }
    if (with.database.empty()) {
        throw std::invalid_argument("--database is needed");
    }
    return with;
}

template <class T>
T value_of(result<T> got, std::string_view what) {
    if (!got) {
        throw std::runtime_error(fmt::format("{}: {}", what, got.error().message()));
    }
    return *std::move(got);
}

void check(const result<>& done, std::string_view what) {
    if (!done) {
        throw std::runtime_error(fmt::format("{}: {}", what, done.error().message()));
    }
}

awaitable<std::vector<double>> contend(loop* on, lock_manager* locks, settings with) {
    const lease_name wanted{with.kind, organization_id{"bench"}, with.name};
    const monotonic_time end = on->now() + with.lasting;
    std::vector<double> waits_ms;
    while (on->now() < end) {
        const monotonic_time asked = on->now();
        const deadline until{asked + patience};
        auto got = co_await locks->acquire(wanted, until);
        const std::chrono::duration<double, std::milli> waited = on->now() - asked;
        waits_ms.push_back(waited.count());
        const std::unique_ptr<lease> held = value_of(std::move(got), "acquire");
        check(co_await sleep_for(with.tenure), "hold");
        const bool stays_away = with.kind == lease_kind::delivery && held->is_wanted();
        check(co_await held->release(), "release");
        if (stays_away) {
            check(co_await sleep_for(stay_away), "stay away");
        }
    }
    co_return waits_ms;
}

/// Only who is on record as a worker may hold leases.
void register_worker(loop& on, conversation_store& store, const incarnation_id& self) {
    ops::register_worker request;
    request.worker.incarnation = self;
    static_cast<void>(value_of(on.run_until_done(store.run(std::move(request))), "register"));
}

void run(const settings& with) {
    loop on;
    const incarnation_id self = make_incarnation();
    postgres_options options;
    options.address = with.database;
    options.incarnation = self;
    options.sessions = 1;
    options.where = &on;
    const auto store = value_of(open_postgres_store(options), "store");
    register_worker(on, *store, self);
    const auto locks = make_postgres_lock_manager(on, {with.database, self});
    check(on.run_until_done(locks->start()), "locks");
    const std::vector<double> waits = on.run_until_done(contend(&on, locks.get(), with));
    check(on.run_until_done(locks->close(deadline{on.now() + patience})), "close");
    on.run_until_done(store->close());
    fmt::print("[{:.3f}]\n", fmt::join(waits, ","));
}

}  // namespace
}  // namespace convene

int main(int argc, char** argv) {
    try {
        convene::run(convene::read_settings(argc, argv));
        return 0;
    } catch (const std::exception& failed) {
        fmt::print(stderr, "convene_bench_lease: {}\n", failed.what());
        return 1;
    }
}
