// SPDX-License-Identifier: Apache-2.0
// The load of the benchmarks over HTTP: many connections that each ask again as soon as they were answered.
#pragma once

#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/served_program.hpp"

namespace convene {

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
    double user_us = 0;    ///< of the servers, per request
    double system_us = 0;  ///< of the servers, per request
};

/// What went wrong in one of several tasks: it is thrown where they are joined.
struct first_failure {
    std::exception_ptr what;
    wait_flag changed;

    void rethrow() const;
};

/// Runs work and keeps what it throws.
[[nodiscard]] awaitable<void> guarded(awaitable<void> work, first_failure* failed);

/// Over as many connections as the load says, spread evenly over the servers. *Errors*: another status is thrown.
[[nodiscard]] awaitable<figures> measure(loop* on, std::vector<server_process> servers, load what);

/// *Requires*: not empty; it is sorted.
[[nodiscard]] double percentile(std::vector<double>& values, std::size_t percent);

/// Ids of new rooms.
[[nodiscard]] awaitable<std::vector<std::string>> make_rooms(
    loop* on, std::uint16_t port, std::size_t count
);

/// Who gets a message in a room that has no channel but the web's: nobody else where it comes from there itself.
enum class recipients { none, the_web };

/// A body of so many characters of text.
[[nodiscard]] std::string message(std::size_t bytes, recipients who = recipients::none);

[[nodiscard]] std::vector<std::string> paths_to(
    const std::vector<std::string>& rooms, std::string_view rest
);

/// Runs one measurement: a server that hangs ends it.
template <class T>
T run_bounded(loop& on, awaitable<T> work) {
    constexpr std::chrono::minutes longest_measurement{5};
    return on.run_until_done(
        with_deadline(deadline{on.now() + longest_measurement}, std::move(work))
    );
}

}  // namespace convene
