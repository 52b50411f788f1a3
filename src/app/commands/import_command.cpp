// SPDX-License-Identifier: Apache-2.0
// `convene import`: brings in dialogues and exports.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/command.hpp"
#include "app/import/import_report.hpp"
#include "app/import/import_run.hpp"
#include "app/import/line_reader.hpp"
#include "app/interrupts.hpp"
#include "app/local/local_access.hpp"
#include "app/opening.hpp"
#include "app/transcript/transcript_format.hpp"

namespace convene {

namespace {

constexpr std::size_t parsing_threads = 1;

/// What one import works with, and how it goes.
struct import_job {
    conversation_access* access = nullptr;
    cancel_source* stop = nullptr;
    import_run* running = nullptr;
    const import_counts* counts = nullptr;
    std::int64_t undelivered = 0;
};

failure bad_delivery_file(const std::filesystem::path& file, std::string_view why) {
    return {
        exit_code::usage,
        fmt::format("--deliver-to: can't write '{}': {}", file.native(), why),
        "name a file that you may write, in a folder that is there"
    };
}

/// The file that a person named, made if it is not there, by the path that other commands find it under.
outcome<std::optional<std::filesystem::path>> delivery_file(const import_options& options) {
    if (!options.deliver_to) {
        return std::optional<std::filesystem::path>{};
    }
    std::error_code error;
    const std::filesystem::path file = std::filesystem::weakly_canonical(
        std::filesystem::absolute(*options.deliver_to), error
    );
    if (error) {
        return bad_delivery_file(*options.deliver_to, error.message());
    }
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0) {
        return bad_delivery_file(file, std::strerror(errno));
    }
    ::close(descriptor);
    return std::optional{file};
}

/// What a crash left undelivered comes first: so no more rooms are ever in flight than are
/// imported at once.
awaitable<outcome<>> settle_and_import(import_job* job) {
    const auto left_before = co_await job->access->settle();
    if (!left_before) {
        co_return left_before.error();
    }
    auto imported = co_await job->running->run();
    // A database that takes nothing has nothing to wait for.
    if (!imported || job->counts->failed != 0) {
        co_return imported;
    }
    const auto left = co_await job->access->settle();
    if (!left) {
        co_return left.error();
    }
    job->undelivered = *left;
    co_return outcome<>{};
}

awaitable<outcome<>> start_and_import(import_job* job) {
    const auto started = co_await job->access->start();
    if (!started) {
        co_return started.error();
    }
    auto done = co_await cancelled_by(job->stop, settle_and_import(job));
    co_return done;
}

awaitable<outcome<>> run_import(import_job* job) {
    auto done = co_await start_and_import(job);
    co_await job->access->stop();
    co_return done;
}

/// What the rooms go into: with a file to deliver to it is a database here, whose engine delivers.
struct opened_target {
    std::unique_ptr<conversation_access> access;
    std::unique_ptr<file_binder> binder;
};

outcome<opened_target> open_target(
    loop& where, const command_context& with, const std::optional<std::filesystem::path>& deliver_to
) {
    opened_target opened;
    if (!deliver_to) {
        auto access = open_access(where, with, sqlite_creation::create_if_missing);
        if (!access) {
            return access.error();
        }
        opened.access = std::move(*access);
        return opened;
    }
    auto local = local_access::open(where, with, sqlite_creation::create_if_missing);
    if (!local) {
        return local.error();
    }
    opened.binder = std::make_unique<file_binder>((*local)->kit(), with.organization, *deliver_to);
    opened.access = std::move(*local);
    return opened;
}

exit_code ending_of(const import_counts& counts, std::int64_t undelivered) {
    const bool has_taken = counts.rooms_created + counts.rooms_known != 0;
    if (counts.failed != 0 && counts.events_added == 0) {
        return exit_code::database_problem;
    }
    if (counts.refused != 0 && !has_taken) {
        return exit_code::refused;
    }
    const bool is_whole = counts.refused == 0 && counts.failed == 0 && undelivered == 0;
    return is_whole ? exit_code::ok : exit_code::partial;
}

/// What is said at the end, and how the program ends.
outcome<exit_code> conclude(
    console* terminal,
    std::optional<exit_code> stopped,
    const outcome<>& done,
    const import_job& job
) {
    if (stopped) {
        terminal->report(
            {*stopped, "stopped; what is stored stays", "the same import goes on where it was"}
        );
        return *stopped;
    }
    if (!done) {
        return done.error();
    }
    if (job.undelivered != 0) {
        terminal->report(
            {exit_code::partial,
             fmt::format("{} deliveries wait for their file", job.undelivered),
             "`convene doctor` shows them; the next command that writes goes on with them"}
        );
    }
    return ending_of(*job.counts, job.undelivered);
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const import_options& options) {
    if (options.deliver_to && with.server) {
        return failure{
            exit_code::usage,
            "--deliver-to names a file of this machine, and the server of --url delivers elsewhere",
            "leave it out; the server's own channels are bound to rooms over its API"
        };
    }
    const auto deliver_to = delivery_file(options);
    if (!deliver_to) {
        return deliver_to.error();
    }
    auto lines = line_reader::open(options.input, max_transcript_line_bytes);
    if (!lines) {
        return lines.error();
    }
    loop where;
    interrupts signals{where};
    const auto opened = open_target(where, with, *deliver_to);
    if (!opened) {
        return opened.error();
    }
    blocking_pool parsing{parsing_threads};
    import_report report{with.terminal};
    import_target target;
    target.where = &where;
    target.reader = &opened->access->reader();
    target.writer = &opened->access->writer();
    target.binder = opened->binder.get();
    target.report = &report;
    target.stop = &signals.stop();
    import_run running{&target, std::move(*lines), &parsing, options.concurrency};
    import_job job;
    job.access = opened->access.get();
    job.stop = &signals.stop();
    job.running = &running;
    job.counts = &report.counts;

    const monotonic_time started_at = where.now();
    const outcome<> done = where.run_until_done(run_import(&job));
    const std::chrono::nanoseconds took = where.now() - started_at;
    if (options.form == output_form::json) {
        report.print_json(took);
    } else {
        report.print_summary(took);
    }
    return conclude(with.terminal, signals.stopped_by(), done, job);
}

}  // namespace convene
