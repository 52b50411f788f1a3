// SPDX-License-Identifier: Apache-2.0
// `convene tail`: shows a room's timeline, and follows it while another process writes.
#include <algorithm>
#include <utility>
#include <vector>

#include "app/change_watch.hpp"
#include "app/command.hpp"
#include "app/deleted_text.hpp"
#include "app/event_view.hpp"
#include "app/reading.hpp"
#include "app/room_lookup.hpp"
#include "http/view/event_view.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 256;

/// What is shown of a long room when nothing is asked for.
constexpr std::int64_t last_few = 20;

/// Between two looks at the files' times; and how long these are trusted.
constexpr std::chrono::milliseconds between_looks{50};
constexpr std::chrono::milliseconds longest_trust{1000};

struct tail_job {
    conversation_store* store = nullptr;
    organization_id organization;
    const tail_options* options = nullptr;
    output_stream* out = nullptr;
    change_watch* watch = nullptr;
    room shown;        ///< as it was at the beginning
    event_index last;  ///< shown last
};

/// Prints everything behind `last`, each index once, in order.
awaitable<result<>> print_new(tail_job* job) {
    for (;;) {
        ops::list_events request;
        request.organization = job->organization;
        request.room = job->shown.id;
        request.after = job->last;
        request.limit = page_size;
        auto page = co_await job->store->run(std::move(request));
        if (!page) {
            co_return page.error();
        }
        const result<> hidden = co_await hide_deleted(job->store, job->shown.id, &*page);
        if (!hidden) {
            co_return hidden;
        }
        for (const room_event& event : *page) {
            const bool for_programs = job->options->form == output_form::json;
            job->out->write_line(
                for_programs ? event_as_json(event).str() : event_for_people(event, *job->out)
            );
            job->last = event.index;
        }
        job->out->flush();
        if (page->size() < page_size || job->out->error()) {
            co_return result<>{};
        }
    }
}

/// Returns when the database may have something new.
awaitable<result<>> until_changed(change_watch* watch) {
    const coroutine_context context = co_await this_context();
    const monotonic_time look_anyway = context.where->now() + longest_trust;
    while (!watch->has_changed() && context.where->now() < look_anyway) {
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return slept;
        }
    }
    co_return result<>{};
}

/// A repair gives indexes a new meaning: what was shown can't be continued.
awaitable<outcome<>> check_not_repaired(tail_job* job) {
    ops::get_room request{job->organization, job->shown.id};
    const auto now = co_await job->store->run(std::move(request));
    if (!now) {
        co_return store_failure(now.error(), "reading the room");
    }
    if (now->timeline_epoch != job->shown.timeline_epoch) {
        co_return failure{
            exit_code::partial,
            "ROOM was repaired: its indexes have another meaning now",
            "start again, with --after -1 to see everything"
        };
    }
    co_return outcome<>{};
}

awaitable<outcome<exit_code>> follow(tail_job* job) {
    while (!job->out->error()) {
        const result<> changed = co_await until_changed(job->watch);
        if (!changed) {
            break;
        }
        const auto intact = co_await check_not_repaired(job);
        if (!intact) {
            co_return intact.error();
        }
        const result<> printed = co_await print_new(job);
        if (!printed) {
            co_return store_failure(printed.error(), "reading the room");
        }
    }
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> show(tail_job* job) {
    auto found = co_await find_room(job->store, job->organization, job->options->room);
    if (!found) {
        co_return found.error();
    }
    job->shown = std::move(*found);
    const event_index few{std::max<std::int64_t>(job->shown.latest_index.value() - last_few, -1)};
    job->last = job->options->after.value_or(few);
    const bool starts_watching = job->watch->has_changed();
    static_cast<void>(starts_watching);  // from here on a change is news

    const result<> printed = co_await print_new(job);
    if (!printed) {
        co_return store_failure(printed.error(), "reading the room");
    }
    if (job->options->mode == tail_mode::once) {
        co_return exit_code::ok;
    }
    auto followed = co_await follow(job);
    co_return followed;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const tail_options& options) {
    change_watch watch{with.database};
    tail_job job;
    job.organization = with.organization;
    job.options = &options;
    job.out = &with.terminal->out;
    job.watch = &watch;
    const auto work = [&job](conversation_store* store) {
        job.store = store;
        return show(&job);
    };
    // Ctrl-C is how following ends.
    return run_reading(with, work, exit_code::ok);
}

}  // namespace convene
