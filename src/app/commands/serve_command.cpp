// SPDX-License-Identifier: Apache-2.0
// `convene serve`: the HTTP server on a database, in this process or in several, until it is told to stop.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "app/command.hpp"
#include "app/interrupts.hpp"
#include "app/server/server_worker.hpp"
#include "app/server/supervisor.hpp"
#include "app/worker_database.hpp"
#include "base/config/configuration.hpp"
#include "base/log.hpp"
#include "net/listening_socket.hpp"

namespace convene {

namespace {

enum class announcing { once, nothing };

// A database that many workers start on at once answers the last of them late: such a start is tried again.
constexpr int most_starts = 5;
constexpr std::chrono::seconds between_starts{1};

/// What ran, and how it ended.
struct serve_job {
    server_worker* worker = nullptr;
    console* terminal = nullptr;
    cancel_source* stop = nullptr;
    announcing says = announcing::nothing;
    bool is_last_start = false;
};

enum class serving_end {
    told,       ///< to stop
    buried,     ///< others took this worker for dead, and have its work: it may start as a new one
    unstarted,  ///< the database had been reached, and then did not answer in time
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

awaitable<outcome<serving_end>> pause_before_another(cancel_source* stop, std::string reason) {
    log(log_level::warn, "start_tried_again", {{"message", reason}});
    const result<> paused = co_await cancelled_by(stop, sleep_for(between_starts));
    co_return paused ? serving_end::unstarted : serving_end::told;
}

awaitable<outcome<serving_end>> serve(serve_job job) {
    outcome<> ready = co_await job.worker->start();
    if (ready && job.says == announcing::once) {
        ready = co_await announce(job);
    }
    serving_end end = serving_end::told;
    if (ready) {
        auto until_buried = until_set(&job.worker->buried());
        const result<> waited = co_await cancelled_by(job.stop, std::move(until_buried));
        end = waited ? serving_end::buried : serving_end::told;
    }
    using ending = server_worker::ending;
    const ending how = end == serving_end::buried ? ending::at_once : ending::in_order;
    co_await job.worker->stop(how);
    if (ready) {
        co_return end;
    }
    if (!ready.error().may_pass || job.is_last_start) {
        co_return ready.error();
    }
    co_return co_await pause_before_another(job.stop, ready.error().text);
}

/// One incarnation of a worker: how often one was started before, and what it has to say.
struct life {
    announcing says = announcing::nothing;
    int failed_starts = 0;
};

outcome<serving_end> serve_once(
    const command_context& with, server_worker::entrance from, life lived
) {
    loop where;
    interrupts signals{where};
    const bool is_last = lived.failed_starts + 1 == most_starts;
    auto worker = server_worker::open(where, with, from);
    if (!worker && worker.error().may_pass && with.database.is_on_server() && !is_last) {
        return where.run_until_done(pause_before_another(&signals.stop(), worker.error().text));
    }
    if (!worker) {
        return worker.error();
    }
    return where.run_until_done(
        serve({worker->get(), with.terminal, &signals.stop(), lived.says, is_last})
    );
}

outcome<exit_code> serve_until_told(
    const command_context& with, server_worker::entrance from, announcing says
) {
    life next{says};
    for (;;) {
        const outcome<serving_end> served = serve_once(with, from, next);
        if (!served) {
            return served.error();
        }
        if (*served == serving_end::told) {
            // Told to stop, it has done what was asked.
            return exit_code::ok;
        }
        if (*served == serving_end::unstarted) {
            ++next.failed_starts;
            continue;
        }
        next = {};
        log(log_level::warn,
            "worker_starts_anew",
            {{"message", "it was out of touch for so long that others took over its work"}});
    }
}

outcome<listening_socket> listen(const configuration& settings) {
    result<listening_socket> opened = listening_socket::open(
        settings.text("HOST"), static_cast<std::uint16_t>(settings.integer("PORT"))
    );
    if (opened) {
        return std::move(*opened);
    }
    return failure{
        exit_code::usage,
        fmt::format("can't listen on {}:{}", settings.text("HOST"), settings.integer("PORT")),
        "the log says why; choose another --port or --host, or stop what listens there"
    };
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
    if (options.workers != 1 && !with.database.is_on_server()) {
        return failure{
            exit_code::usage,
            "one process writes a SQLite database, so there can be one worker",
            "leave out --workers, or move to PostgreSQL for several"
        };
    }
    const outcome<listening_socket> listening = listen(*with.settings);
    if (!listening) {
        return listening.error();
    }
    if (options.workers == 1) {
        return serve_until_told(with, {listening->descriptor()}, announcing::once);
    }
    // Known before anybody serves; each worker looks again for itself.
    const exit_code fits = run_apart([&] {
        const outcome<> checked = check_room_for_workers(
            with.database, *with.settings, options.workers
        );
        if (!checked) {
            with.terminal->report(checked.error());
        }
        with.terminal->err.flush();
        return checked ? exit_code::ok : checked.error().ends_with;
    });
    if (fits != exit_code::ok) {
        return fits;
    }
    connection_board board{options.workers};
    return supervise(options.workers, [&](worker_start start) {
        const bool is_first = start.number == 0 && start.attempt == 0;
        const auto says = is_first ? announcing::once : announcing::nothing;
        const outcome<exit_code> ended = serve_until_told(
            with, {listening->descriptor(), &board, start.number}, says
        );
        if (!ended) {
            with.terminal->report(ended.error());
        }
        with.terminal->out.flush();
        with.terminal->err.flush();
        return ended ? *ended : ended.error().ends_with;
    });
}

}  // namespace convene
