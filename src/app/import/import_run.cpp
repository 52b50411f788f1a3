// SPDX-License-Identifier: Apache-2.0
// Import run: the reading loop, and the rooms beside it.
#include "app/import/import_run.hpp"

#include <utility>
#include <variant>

#include "app/transcript/transcript_format.hpp"

namespace convene {

namespace {

constexpr std::chrono::milliseconds between_progress{200};

failure input_failure(error_code code) {
    return {
        exit_code::refused,
        "FILE can't be read: " + code.message(),
        "name a file of JSON lines, or - for standard input"
    };
}

}  // namespace

import_run::import_run(
    const import_target* into,
    std::unique_ptr<line_reader> lines,
    blocking_pool* pool,
    std::size_t concurrency
)
    : into_(*into),
      lines_(std::move(lines)),
      pool_(*pool),
      concurrency_(concurrency),
      rooms_(*into->where) {}

awaitable<outcome<>> import_run::run() {
    started_at_ = into_.where->now();
    cancel_source progress_end;
    task_scope progress{*into_.where, &progress_end};
    if (into_.report->shows_progress()) {
        progress.spawn("progress", show_progress(&progress_end));
    }
    auto read = co_await read_all();
    end_room();
    // What was sent is finished, also when the reading was stopped: half a batch would leave a gap.
    co_await shielded(rooms_.join());
    progress_end.request(errc::cancelled);
    co_await shielded(progress.join());
    co_return read;
}

awaitable<outcome<>> import_run::read_all() {
    for (;;) {
        auto work = [lines = lines_] { return read_and_parse(lines.get()); };
        auto batch = co_await run_on(&pool_, std::move(work));
        if (!batch) {
            co_return input_failure(batch.error());
        }
        bytes_read_ = batch->bytes_read;
        for (parsed_line& line : batch->lines) {
            const result<> taken = co_await take(std::move(line));
            if (!taken) {
                co_return store_failure(taken.error(), "importing");
            }
        }
        if (batch->is_last) {
            co_return outcome<>{};
        }
    }
}

result<import_run::parsed_batch> import_run::read_and_parse(line_reader* lines) {
    const result<line_reader::batch> read = lines->read();
    if (!read) {
        return read.error();
    }
    parsed_batch parsed;
    parsed.is_last = read->is_last;
    parsed.bytes_read = read->bytes_read;
    for (const line_reader::line& line : read->lines) {
        if (line.is_too_long) {
            parsed.lines.push_back({line.number, boundary_error{"", boundary_reason::too_long}});
        } else if (line.text.find_first_not_of(" \t\r") != std::string::npos) {
            parsed.lines.push_back({line.number, parse_transcript_line(line.text)});
        }
    }
    return parsed;
}

awaitable<result<>> import_run::take(parsed_line line) {
    if (!line.value) {
        into_.report->refuse(line.number, line.value.error());
        co_return result<>{};
    }
    transcript_line& given = *line.value;
    if (auto* entry = std::get_if<transcript_entry>(&given)) {
        co_return co_await take_entry(std::move(*entry), line.number);
    }
    end_room();
    if (auto* whole = std::get_if<transcript>(&given)) {
        co_return co_await take_transcript(std::move(*whole), line.number);
    }
    if (auto* room = std::get_if<transcript_room>(&given)) {
        co_return co_await begin_room(std::move(*room), line.number);
    }
    co_return result<>{};
}

awaitable<result<>> import_run::take_entry(transcript_entry entry, std::int64_t line) {
    if (current_ == nullptr || current_->name() != entry.room) {
        import_problem stray;
        stray.line = line;
        stray.field = "room";
        stray.reason = "out_of_order";
        stray.text = "an event stands behind the line of its room";
        into_.report->add(std::move(stray));
        co_return result<>{};
    }
    co_return co_await current_->put(std::move(entry.event), line);
}

awaitable<result<>> import_run::take_transcript(transcript whole, std::int64_t line) {
    const result<> begun = co_await begin_room(std::move(whole.room), line);
    if (!begun) {
        co_return begun;
    }
    for (transcript_event& event : whole.events) {
        const result<> put = co_await current_->put(std::move(event), line);
        if (!put) {
            co_return put;
        }
    }
    end_room();
    co_return result<>{};
}

awaitable<result<>> import_run::begin_room(transcript_room room, std::int64_t line) {
    while (active_.size() >= concurrency_ || active_.contains(room.name)) {
        const result<> waited = co_await room_ended_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    active_.insert(room.name);
    current_ = std::make_shared<room_import>(&into_, std::move(room), line);
    rooms_.spawn("import of " + current_->name(), import_room(current_));
    co_return result<>{};
}

awaitable<void> import_run::import_room(std::shared_ptr<room_import> importing) {
    co_await importing->run();
    active_.erase(importing->name());
    room_ended_.notify_all();
}

void import_run::end_room() {
    if (current_ != nullptr) {
        current_->end();
        current_.reset();
    }
}

awaitable<void> import_run::show_progress(cancel_source* until) {
    const std::optional<std::int64_t> size = lines_->size();
    while (!until->is_requested()) {
        const bool has_share = size && *size > 0;
        std::optional<double> share;
        if (has_share) {
            share = static_cast<double>(bytes_read_) / static_cast<double>(*size);
        }
        into_.report->show_progress(share, into_.where->now() - started_at_);
        const result<> slept = co_await sleep_for(between_progress);
        if (!slept) {
            break;
        }
    }
}

}  // namespace convene
