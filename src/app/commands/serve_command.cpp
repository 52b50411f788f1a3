// SPDX-License-Identifier: Apache-2.0
// `convene serve`: the HTTP server on the local database, until it is told to stop.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/command.hpp"
#include "app/interrupts.hpp"
#include "app/server/server_worker.hpp"

namespace convene {

namespace {

/// What ran, and how it ended.
struct serve_job {
    server_worker* worker = nullptr;
    console* terminal = nullptr;
    cancel_source* stop = nullptr;
};

awaitable<outcome<>> announce(serve_job job) {
    const auto link = co_await job.worker->make_login_link();
    if (!link) {
        co_return link.error();
    }
    job.terminal->out.write(fmt::format("Convene serves {}\n", job.worker->url()));
    job.terminal->out.write(fmt::format("Log in, once, as the admin: {}\n", *link));
    job.terminal->out.flush();
    co_return outcome<>{};
}

awaitable<outcome<>> serve(serve_job job) {
    outcome<> ended = co_await job.worker->start();
    if (ended) {
        ended = co_await announce(job);
    }
    if (ended) {
        wait_flag never;
        const result<> stopped = co_await cancelled_by(job.stop, until_set(&never));
        static_cast<void>(stopped);  // that is what it waits for
    }
    co_await job.worker->stop();
    co_return ended;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const serve_options& options) {
    if (with.server) {
        return failure{
            exit_code::usage,
            "serve works on a database, not on a server (--url)",
            "leave out --url; DB_URL names the database"
        };
    }
    if (options.workers != 1) {
        return failure{
            exit_code::usage,
            "one process writes a SQLite database, so there can be one worker",
            "leave out --workers, or move to PostgreSQL for several"
        };
    }
    loop where;
    interrupts signals{where};
    auto worker = server_worker::open(where, with);
    if (!worker) {
        return worker.error();
    }
    const outcome<> served = where.run_until_done(
        serve({worker->get(), with.terminal, &signals.stop()})
    );
    if (!served) {
        return served.error();
    }
    // Told to stop, it has done what was asked.
    return exit_code::ok;
}

}  // namespace convene
