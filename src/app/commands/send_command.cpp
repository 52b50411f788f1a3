// SPDX-License-Identifier: Apache-2.0
// `convene send`: one message into one room.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <unistd.h>
#include <utility>

#include "app/command.hpp"
#include "app/interrupts.hpp"
#include "app/opening.hpp"
#include "app/printable.hpp"
#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "http/view/event_view.hpp"

namespace convene {

namespace {

struct send_job {
    conversation_access* access = nullptr;
    const send_options* options = nullptr;
    std::string text;
};

/// Standard input, up to one byte more than is allowed.
outcome<std::string> read_text(const send_options& options) {
    if (options.text != "-") {
        return options.text;
    }
    constexpr std::size_t most = boundary_limits{}.max_text_bytes + 1;
    std::string text(most, '\0');
    std::size_t length = 0;
    while (length < most) {
        const ssize_t count = ::read(STDIN_FILENO, text.data() + length, most - length);
        if (count < 0) {
            return failure{
                exit_code::refused, "TEXT: standard input can't be read", "give the text itself"
            };
        }
        if (count == 0) {
            break;
        }
        length += static_cast<std::size_t>(count);
    }
    text.resize(length);
    return text;
}

checked<> check(const send_options& options, const std::string& text) {
    if (auto ok = check_id(options.room, "ROOM"); !ok) {
        return ok;
    }
    if (auto ok = check_text(text, "TEXT"); !ok) {
        return ok;
    }
    if (auto ok = check_id(options.speaker, "--as"); !ok) {
        return ok;
    }
    if (auto ok = check_id(options.key, "--key"); !options.key.empty() && !ok) {
        return ok;
    }
    if (auto ok = check_id(options.reply_to, "--reply-to"); !options.reply_to.empty() && !ok) {
        return ok;
    }
    return {};
}

participant speaker_of(const send_options& options) {
    participant who;
    who.id = participant_id{options.speaker};
    who.display_name = options.speaker;
    return who;
}

/// The room of that name, with the speaker among its participants.
awaitable<outcome<room_context>> open_room(const send_job* job) {
    auto found = co_await job->access->reader().look_up_room(job->options->room);
    if (!found) {
        co_return found.error();
    }
    if (*found) {
        co_return std::move(**found);
    }
    if (job->options->if_missing == missing_room::refuse) {
        co_return failure{
            exit_code::refused,
            fmt::format("ROOM: there is no room '{}'", job->options->room),
            "--create makes it; `convene rooms` lists those that are there"
        };
    }
    room wanted;
    wanted.external_id = job->options->room;
    std::vector<participant> speakers{speaker_of(*job->options)};
    auto created = co_await job->access->writer().create_room(
        std::move(wanted), std::move(speakers)
    );
    co_return created;
}

awaitable<outcome<>> join_speaker(const send_job* job, const room_context* room) {
    participant joining = speaker_of(*job->options);
    if (room->find_participant(joining.id) != nullptr || !is_open(room->room.status)) {
        co_return outcome<>{};
    }
    joining.room = room->room.id;
    auto joined = co_await job->access->writer().add_participant(std::move(joining));
    co_return joined;
}

std::optional<event_index> index_from(const std::string& text) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool is_number = error == std::errc{} && end == text.data() + text.size() && index >= 0;
    return is_number ? std::optional{event_index{index}} : std::nullopt;
}

awaitable<outcome<std::optional<event_id>>> find_event_at(
    conversation_reader* reader, room_id room, event_index index
) {
    const auto page = co_await reader->list_events(std::move(room), index.previous(), 1);
    if (!page) {
        co_return page.error();
    }
    if (page->events.empty() || page->events.front().index != index) {
        co_return std::optional<event_id>{};
    }
    co_return std::optional{page->events.front().id};
}

awaitable<outcome<std::optional<event_id>>> find_event(
    conversation_reader* reader, room_id room, event_id id
) {
    std::vector<event_id> wanted{id};
    const auto known = co_await reader->find_indexes(std::move(room), std::move(wanted));
    if (!known) {
        co_return known.error();
    }
    if (known->empty()) {
        co_return std::optional<event_id>{};
    }
    co_return std::optional{std::move(id)};
}

/// The id of the message that is answered; empty if none is.
awaitable<outcome<event_id>> find_parent(const send_job* job, room_id room) {
    const std::string& wanted = job->options->reply_to;
    if (wanted.empty()) {
        co_return event_id{};
    }
    conversation_reader* const reader = &job->access->reader();
    outcome<std::optional<event_id>> parent;
    if (const auto index = index_from(wanted)) {
        parent = co_await find_event_at(reader, std::move(room), *index);
    } else {
        event_id named{wanted};
        parent = co_await find_event(reader, std::move(room), std::move(named));
    }
    if (!parent) {
        co_return parent.error();
    }
    if (!*parent) {
        co_return failure{
            exit_code::refused,
            fmt::format("--reply-to: the room has no message '{}'", wanted),
            "give an index or an event id; `convene tail ROOM` shows them"
        };
    }
    co_return std::move(**parent);
}

awaitable<outcome<send_receipt>> send(const send_job* job) {
    auto room = co_await open_room(job);
    if (!room) {
        co_return room.error();
    }
    const auto joined = co_await join_speaker(job, &*room);
    if (!joined) {
        co_return joined.error();
    }
    auto parent = co_await find_parent(job, room->room.id);
    if (!parent) {
        co_return parent.error();
    }
    outgoing_event sent;
    sent.room = room->room.id;
    sent.participant = participant_id{job->options->speaker};
    sent.content = content::text(job->text);
    sent.parent = std::move(*parent);
    sent.idempotency_key = job->options->key;
    auto receipt = co_await job->access->writer().send_event(std::move(sent), wait_for::delivered);
    co_return receipt;
}

awaitable<outcome<send_receipt>> start_and_send(const send_job* job) {
    const auto started = co_await job->access->start();
    if (!started) {
        co_return started.error();
    }
    auto sent = co_await send(job);
    co_return sent;
}

awaitable<outcome<send_receipt>> run_send(const send_job* job, cancel_source* stop) {
    auto sent = co_await cancelled_by(stop, start_and_send(job));
    co_await job->access->stop();
    co_return sent;
}

// -- what is said about it -------------------------------------------------------------------------

std::int64_t count_failed(const send_receipt& receipt) {
    return std::ranges::count(receipt.targets, delivery_state::failed, &target_result::state);
}

std::string delivery_for_people(const send_receipt& receipt) {
    if (receipt.targets.empty()) {
        return "";
    }
    const auto all = static_cast<std::int64_t>(receipt.targets.size());
    const std::int64_t failed = count_failed(receipt);
    if (failed != 0) {
        return fmt::format(", {} of {} deliveries failed", failed, all);
    }
    const bool is_done = receipt.progress == delivery_progress::delivered;
    return fmt::format(", {} to {}", is_done ? "delivered" : "on its way", all);
}

std::string for_people(const send_receipt& receipt, const std::string& room) {
    return fmt::format(
        "{} {} in {}{}",
        receipt.is_replay ? "was sent before: message" : "message",
        receipt.event.index.value(),
        printable_name(room),
        delivery_for_people(receipt)
    );
}

std::string for_programs(const send_receipt& receipt) {
    json_writer out;
    out.begin_object();
    out.key("event").json(event_as_json(receipt.event));
    out.key("replayed").boolean(receipt.is_replay);
    out.key("progress").string(word_of(receipt.progress));
    out.key("delivery_results").begin_array();
    for (const target_result& target : receipt.targets) {
        out.begin_object();
        out.key("channel_id").string(target.channel.str());
        out.key("state").string(word_of(target.state));
        if (!target.outcome.error_code.empty()) {
            out.key("error_code").string(target.outcome.error_code);
        }
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take().str();
}

outcome<exit_code> ending_of(const send_receipt& receipt) {
    if (receipt.event.status == event_status::blocked) {
        return failure{
            exit_code::refused,
            fmt::format(
                "the message was blocked by {}: {}",
                printable_name(receipt.event.blocked_by),
                printable_name(receipt.event.block_reason)
            ),
            "it is kept with its reason, and shown to nobody"
        };
    }
    return count_failed(receipt) == 0 ? exit_code::ok : exit_code::partial;
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const send_options& options) {
    auto text = read_text(options);
    if (!text) {
        return text.error();
    }
    const checked<> ok = check(options, *text);
    if (!ok) {
        return refused_value(ok.error());
    }
    loop where;
    interrupts signals{where};
    const auto creation = options.if_missing == missing_room::create
                              ? sqlite_creation::create_if_missing
                              : sqlite_creation::must_exist;
    auto access = open_access(where, with, creation);
    if (!access) {
        return access.error();
    }
    send_job job;
    job.access = access->get();
    job.options = &options;
    job.text = std::move(*text);
    const auto sent = where.run_until_done(run_send(&job, &signals.stop()));
    if (const auto stopped = signals.stopped_by(); stopped && !sent) {
        return *stopped;
    }
    if (!sent) {
        return sent.error();
    }
    const bool is_for_people = options.form == output_form::text;
    with.terminal->out.write_line(
        is_for_people ? for_people(*sent, options.room) : for_programs(*sent)
    );
    return ending_of(*sent);
}

}  // namespace convene
