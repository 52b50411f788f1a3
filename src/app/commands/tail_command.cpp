// SPDX-License-Identifier: Apache-2.0
// `convene tail`: shows a room's timeline, and follows it while others write.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "app/command.hpp"
#include "app/event_view.hpp"
#include "app/reading.hpp"
#include "app/room_lookup.hpp"
#include "http/view/event_view.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 256;

/// What is shown of a long room when nothing is asked for.
constexpr std::int64_t last_few = 20;

struct tail_job {
    conversation_reader* reader = nullptr;
    const tail_options* options = nullptr;
    output_stream* out = nullptr;
    event_index last;  ///< shown last
};

void print(tail_job* job, const std::vector<room_event>& events) {
    const bool for_programs = job->options->form == output_form::json;
    for (const room_event& event : events) {
        job->out->write_line(
            for_programs ? event_as_json(event).str() : event_for_people(event, *job->out)
        );
        job->last = event.index;
    }
    job->out->flush();
}

/// Prints everything behind `last`, each index once, in order.
awaitable<outcome<>> print_stored(tail_job* job, room_id id) {
    std::optional<event_index> after{job->last};
    while (after && !job->out->error()) {
        const auto page = co_await job->reader->list_events(id, *after, page_size);
        if (!page) {
            co_return page.error();
        }
        print(job, page->events);
        after = page->next_after;
    }
    co_return outcome<>{};
}

awaitable<outcome<>> follow(tail_job* job, room followed) {
    const std::unique_ptr<event_feed> feed = job->reader->follow(followed, job->last);
    while (!job->out->error()) {
        const auto events = co_await feed->next();
        if (!events) {
            co_return events.error();
        }
        print(job, *events);
    }
    co_return outcome<>{};
}

awaitable<outcome<exit_code>> show(tail_job* job) {
    auto found = co_await find_room(job->reader, job->options->room);
    if (!found) {
        co_return found.error();
    }
    const room& shown = found->room;
    const event_index few{std::max<std::int64_t>(shown.latest_index.value() - last_few, -1)};
    job->last = job->options->after.value_or(few);
    auto printed = co_await print_stored(job, shown.id);
    if (printed && job->options->mode == tail_mode::follow) {
        printed = co_await follow(job, shown);
    }
    if (!printed) {
        co_return printed.error();
    }
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const tail_options& options) {
    tail_job job;
    job.options = &options;
    job.out = &with.terminal->out;
    const auto work = [&job](conversation_reader* reader) {
        job.reader = reader;
        return show(&job);
    };
    // Ctrl-C is how following ends.
    return run_reading(with, work, exit_code::ok);
}

}  // namespace convene
