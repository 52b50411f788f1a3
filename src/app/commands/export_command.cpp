// SPDX-License-Identifier: Apache-2.0
// `convene export`: rooms as JSON lines, in an order and spelling that depend on nothing but what was said.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/reading.hpp"
#include "app/room_lookup.hpp"
#include "app/transcript/transcript_format.hpp"
#include "app/transcript/transcript_reader.hpp"

namespace convene {

namespace {

struct named_room {
    std::string name;
    room_id id;

    friend auto operator<=>(const named_room&, const named_room&) = default;
};

struct export_job {
    conversation_reader* reader = nullptr;
    std::string only_room;  ///< empty: all
    output_stream* out = nullptr;
};

/// By name: the order of ids, which is that of creation, differs from database to database.
awaitable<outcome<std::vector<named_room>>> list_all(const export_job* job) {
    std::vector<named_room> all;
    room_page page;
    do {
        auto next = co_await job->reader->list_rooms(std::nullopt, page.next);
        if (!next) {
            co_return next.error();
        }
        page = std::move(*next);
        for (const room& one : page.rooms) {
            all.push_back({name_of(one), one.id});
        }
    } while (!page.next.empty());
    std::ranges::sort(all);
    co_return all;
}

awaitable<outcome<std::vector<named_room>>> rooms_to_write(const export_job* job) {
    if (job->only_room.empty()) {
        auto all = co_await list_all(job);
        co_return all;
    }
    const auto found = co_await find_room(job->reader, job->only_room);
    if (!found) {
        co_return found.error();
    }
    co_return std::vector<named_room>{{name_of(found->room), found->room.id}};
}

awaitable<outcome<>> write_room(const export_job* job, room_id id) {
    auto context = co_await job->reader->get_room(std::move(id));
    if (!context) {
        co_return context.error();
    }
    transcript_reader reader{job->reader, std::move(*context)};
    const transcript_room heading = reader.heading();
    job->out->write_line(line_of(heading));
    while (!job->out->error()) {
        auto page = co_await reader.next_page();
        if (!page) {
            co_return page.error();
        }
        if (page->empty()) {
            break;
        }
        for (transcript_event& event : *page) {
            job->out->write_line(line_of(transcript_entry{heading.name, std::move(event)}));
        }
    }
    co_return outcome<>{};
}

awaitable<outcome<exit_code>> write_all(const export_job* job) {
    const auto rooms = co_await rooms_to_write(job);
    if (!rooms) {
        co_return rooms.error();
    }
    job->out->write_line(heading_line());
    for (const named_room& one : *rooms) {
        const auto written = co_await write_room(job, one.id);
        if (!written) {
            co_return written.error();
        }
        if (job->out->error()) {
            break;
        }
    }
    co_return exit_code::ok;
}

outcome<exit_code> export_to(
    const command_context& with, const export_options& options, output_stream* out
) {
    export_job job;
    job.only_room = options.room;
    job.out = out;
    return run_reading(with, [&job](conversation_reader* reader) {
        job.reader = reader;
        return write_all(&job);
    });
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const export_options& options) {
    if (!options.output) {
        return export_to(with, options, &with.terminal->out);
    }
    auto file = output_file::create(*options.output);
    if (!file) {
        return file.error();
    }
    const outcome<exit_code> written = export_to(with, options, &(*file)->stream());
    if (!written || *written != exit_code::ok) {
        return written;
    }
    const outcome<> finished = (*file)->finish();
    if (!finished) {
        return finished.error();
    }
    return exit_code::ok;
}

}  // namespace convene
