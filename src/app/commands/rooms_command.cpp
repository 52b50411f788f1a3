// SPDX-License-Identifier: Apache-2.0
// `convene rooms`: lists rooms.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "app/command.hpp"
#include "app/event_view.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "app/room_lookup.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

struct rooms_job {
    conversation_reader* reader = nullptr;
    const rooms_options* options = nullptr;
    output_stream* out = nullptr;
};

text_style style_of(room_status status) {
    switch (status) {
        case room_status::active:
            return text_style::good;
        case room_status::paused:
            return text_style::warning;
        case room_status::closed:
        case room_status::archived:
            return text_style::dim;
    }
    return text_style::plain;
}

/// The name stands last: it may be long, and it may be wide.
std::string for_people(const room& listed, const output_stream& out) {
    return fmt::format(
        "{}  {:>8}  {:>9}  {}  {}",
        out.styled(style_of(listed.status), fmt::format("{:<8}", word_of(listed.status))),
        listed.event_count,
        listed.latest_index.value() - listed.delivered_index.value(),
        out.styled(text_style::dim, time_for_people(listed.last_activity_at)),
        out.styled(text_style::bold, printable_name(name_of(listed)))
    );
}

json_text for_programs(const room& listed) {
    json_writer out;
    out.begin_object();
    out.key("id").string(listed.id.str());
    out.key("external_id").string(listed.external_id);
    out.key("status").string(word_of(listed.status));
    out.key("event_count").integer(listed.event_count);
    out.key("latest_index").integer(listed.latest_index.value());
    out.key("delivered_index").integer(listed.delivered_index.value());
    out.key("metadata").json(listed.metadata);
    out.key("created_at").string(format_rfc3339(listed.created_at));
    out.key("last_activity_at").string(format_rfc3339(listed.last_activity_at));
    out.end_object();
    return out.take();
}

awaitable<outcome<exit_code>> list(const rooms_job* job) {
    const bool is_for_people = job->options->form == output_form::text;
    if (is_for_people) {
        job->out->write_line(job->out->styled(
            text_style::dim, "STATUS    MESSAGES  UNDELIV.  LAST ACTIVITY (UTC)  ROOM"
        ));
    }
    room_page page;
    do {
        auto next = co_await job->reader->list_rooms(job->options->status, page.next);
        if (!next) {
            co_return next.error();
        }
        page = std::move(*next);
        for (const room& listed : page.rooms) {
            job->out->write_line(
                is_for_people ? for_people(listed, *job->out) : for_programs(listed).str()
            );
        }
    } while (!page.next.empty() && !job->out->error());
    co_return exit_code::ok;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const rooms_options& options) {
    rooms_job job;
    job.options = &options;
    job.out = &with.terminal->out;
    return run_reading(with, [&job](conversation_reader* reader) {
        job.reader = reader;
        return list(&job);
    });
}

}  // namespace convene
