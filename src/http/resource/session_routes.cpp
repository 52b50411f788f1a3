// SPDX-License-Identifier: Apache-2.0
// Session routes: what is asked is checked and the lease is taken before the first header; then the run's frames are
// written as they are stored.
#include "http/resource/session_routes.hpp"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/approval_access.hpp"
#include "http/resource/wake_routes.hpp"
#include "http/room_access.hpp"
#include "http/stream/sse.hpp"
#include "http/view/session_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// Clients send the whole conversation each time.
constexpr boundary_limits input_limits{
    .max_json_bytes = 8 * 1024 * 1024,
    .max_json_values = 500'000,
};

std::string frame_id(const run_id& run, std::int64_t number) {
    return run.str() + '-' + std::to_string(number);
}

/// `{run}-{number}`: the id of a frame.
struct frame_position {
    run_id run;
    std::int64_t number = -1;

    static std::optional<frame_position> parse(std::string_view text) {
        const std::size_t dash = text.rfind('-');
        if (dash == std::string_view::npos || dash == 0) {
            return std::nullopt;
        }
        const std::string_view digits = text.substr(dash + 1);
        frame_position position{run_id{std::string{text.substr(0, dash)}}};
        const auto [end, error] = std::from_chars(
            digits.data(), digits.data() + digits.size(), position.number
        );
        const bool is_whole = error == std::errc{} && end == digits.data() + digits.size();
        return is_whole && position.number >= 0 ? std::optional{position} : std::nullopt;
    }
};

/// Frames that are gone: what they said is in the room, as far as it was said. Its id is that of the last one that is missing.
std::string resync_of(const run_id& run, std::int64_t last_missing) {
    json_writer out;
    out.begin_object();
    out.key("from_index").integer(0);
    out.key("reason").string("frames_removed");
    out.end_object();
    return sse_frame(frame_id(run, last_missing), "resync", out.take().str());
}

std::string frames_of(const run_id& run, const run_page& page, std::int64_t position) {
    std::string text;
    if (page.has_missed) {
        text = resync_of(run, page.frames.empty() ? position : page.frames.front().number - 1);
    }
    for (const run_frame& frame : page.frames) {
        text += "id: " + frame_id(run, frame.number) + "\ndata: " + frame.data + "\n\n";
    }
    return text;
}

// ---- writing a run ---------------------------------------------------------------------------------------

/// Whether it is the one who started the run that reads: its leaving may end the run, and the end waits for it.
enum class reader_role : std::uint8_t { starter, other };

/// One reader of one run, for as long as it reads.
class run_writer {
   public:
    run_writer(session_route_parts with, principal who, room_id room, run_id run, reader_role role)
        : with_(with),
          who_(std::move(who)),
          room_(std::move(room)),
          run_(std::move(run)),
          role_(role) {}

    /// Until the run is whole, the reader leaves, or it may no longer read.
    awaitable<void> write(std::shared_ptr<run_reader> reader, http_body_sink* sink) {
        const bool has_end = co_await copy(std::move(reader), sink);
        if (role_ == reader_role::starter) {
            if (has_end) {
                with_.sessions->starter_took_end(run_);
            } else {
                with_.sessions->starter_left(run_);
            }
        }
    }

   private:
    awaitable<bool> copy(std::shared_ptr<run_reader> reader, http_body_sink* sink) {
        std::string first = sse_retry(*with_.random);
        result<> written = co_await sink->write(std::move(first));
        monotonic_time silent_since = with_.where->now();
        monotonic_time looked_at = silent_since;
        while (written) {
            const deadline look{looked_at + with_.access_interval};
            const auto page = co_await reader->next(look);
            if (!page && page.error() == errc::cancelled) {
                co_return false;
            }
            const monotonic_time now = with_.where->now();
            std::string frames = page ? frames_of(run_, *page, reader->position()) : std::string{};
            if (frames.empty() && now - silent_since >= with_.heartbeat) {
                frames = sse_heartbeat();
            }
            if (!frames.empty()) {
                silent_since = now;
                written = co_await sink->write(std::move(frames));
            }
            if (page && page->is_whole) {
                co_return written.has_value();
            }
            if (look.has_passed(now)) {
                looked_at = now;
                const bool may_go_on = co_await may_read();
                if (!may_go_on) {
                    std::string end = sse_frame({}, "end", R"({"reason":"access_removed"})");
                    written = co_await sink->write(std::move(end));
                    co_return false;
                }
            }
            if (!page) {
                // The store is away for a while; the position is the reader's own.
                const result<> rested = co_await sleep_until(look);
                if (!rested) {
                    co_return false;
                }
            }
        }
        co_return false;
    }

    /// R18: losing access ends it. While nobody can be asked it goes on.
    awaitable<bool> may_read() {
        const auto who = co_await with_.who->check_again(who_);
        if (!who && who.error() == errc::not_authorized) {
            co_return false;
        }
        const auto around = co_await with_.kit->get_room(who_.organization, room_);
        if (!around) {
            co_return around.error() != errc::not_found;
        }
        co_return !who || may_see_room(*who, *around);
    }

    const session_route_parts with_;
    const principal who_;
    const room_id room_;
    const run_id run_;
    const reader_role role_;
};

http_answer stream_of(
    session_route_parts parts,
    const route_call& call,
    run_id run,
    reader_role role,
    std::shared_ptr<run_reader> reader
) {
    auto writer = std::make_shared<run_writer>(
        parts, call.who, call.room->room.id, std::move(run), role
    );
    http_stream stream = sse_stream();
    stream.produce = [writer, reader](http_body_sink* sink) { return writer->write(reader, sink); };
    return http_answer{std::move(stream)};
}

// ---- starting --------------------------------------------------------------------------------------------

disconnect_policy policy_of(const route_call& call) {
    const std::string word = call.text("on_disconnect").value_or("cancel");
    if (word == "detach") {
        return disconnect_policy::detach;
    }
    return word == "grace" ? disconnect_policy::grace : disconnect_policy::cancel;
}

/// A2: who has it, and since when.
awaitable<problem> describe_busy(session_route_parts parts, const route_call* call) {
    problem busy = problem_of(make_error_code(errc::session_run_in_progress));
    ops::list_runs request{call->who.organization, call->room->room.id, 1};
    const auto runs = co_await parts.kit->store().run(std::move(request));
    if (runs && !runs->empty()) {
        busy.members = {
            {"run_id", runs->front().id.str()},
            {"started_at", format_rfc3339(runs->front().started_at)},
        };
    }
    co_return busy;
}

awaitable<handled> run_agent(session_route_parts parts, route_call call) {
    const checked<run_input> input = parse_run_input(call.request.body, input_limits);
    if (!input) {
        co_return problem_of(input.error());
    }
    // A thread of another room must not be driven under this one's permissions.
    if (input->thread != call.room->room.id.str()) {
        co_return not_found_problem();
    }
    const or_problem<> driver = co_await check_driver(parts, &call);
    if (!driver) {
        co_return driver.error();
    }
    const auto given = co_await read_answers(parts.kit, &call, input->answers);
    if (!given) {
        co_return given.error();
    }
    turn_order order;
    order.said = *input;
    order.on_disconnect = policy_of(call);
    order.participant = participant_id{call.who.user};
    if (call.who.is_user()) {
        order.channel = channel_of(call.who, *call.room);
    }
    std::string by = call.who.name();
    auto started = co_await parts.sessions->start(
        call.who.organization,
        call.room->room.id,
        std::move(order),
        std::move(by),
        run_starter::reads,
        *given
    );
    if (!started && started.error() == errc::session_run_in_progress) {
        problem busy = co_await describe_busy(parts, &call);
        co_return busy;
    }
    if (!started) {
        problem refused = co_await describe_refusal(
            parts.kit, call.who.organization, call.room->room.id, *given, started.error()
        );
        co_return refused;
    }
    auto reader = co_await parts.feeds->open(call.who.organization, started->id, -1);
    if (!reader) {
        parts.sessions->starter_left(started->id);
        co_return problem_of(reader.error());
    }
    std::shared_ptr<run_reader> shared = *std::move(reader);
    co_return stream_of(parts, call, started->id, reader_role::starter, std::move(shared));
}

// ---- reading on, cancelling ------------------------------------------------------------------------------

/// The run that is meant: the one named, or the session's last. *Errors*: 404.
awaitable<or_problem<agent_run_record>> find_run(
    session_route_parts parts, const route_call* call, std::optional<run_id> named
) {
    if (!named) {
        ops::get_session look{call->who.organization, call->room->room.id};
        const auto session = co_await parts.kit->store().run(std::move(look));
        if (!session) {
            co_return problem_of(session.error());
        }
        if (session->session.run.empty()) {
            co_return not_found_problem();
        }
        named = session->session.run;
    }
    ops::get_run request{call->who.organization, *std::move(named)};
    auto run = co_await parts.kit->store().run(std::move(request));
    if (!run) {
        co_return problem_of(run.error());
    }
    if (run->room != call->room->room.id) {
        co_return not_found_problem();
    }
    co_return *std::move(run);
}

awaitable<handled> read_run(session_route_parts parts, route_call call) {
    std::optional<frame_position> after;
    for (const char* name : {"last-event-id", "after"}) {
        const std::optional<std::string> text = call.text(name);
        if (!text || after) {
            continue;
        }
        after = frame_position::parse(*text);
        if (!after) {
            co_return validation_problem(name, boundary_reason::malformed);
        }
    }
    std::optional<run_id> named;
    if (after) {
        named = after->run;
    } else if (const auto given = call.text("run_id")) {
        named = run_id{*given};
    }
    const auto run = co_await find_run(parts, &call, std::move(named));
    if (!run) {
        co_return run.error();
    }
    const std::int64_t position = after ? after->number : -1;
    if (run->is_stream_over && position + 1 >= run->next_frame) {
        co_return http_answer{no_content()};
    }
    auto reader = co_await parts.feeds->open(call.who.organization, run->id, position);
    if (!reader) {
        co_return problem_of(reader.error());
    }
    std::shared_ptr<run_reader> shared = *std::move(reader);
    co_return stream_of(parts, call, run->id, reader_role::other, std::move(shared));
}

awaitable<handled> cancel_run(session_route_parts parts, route_call call) {
    const or_problem<> driver = co_await check_driver(parts, &call);
    if (!driver) {
        co_return driver.error();
    }
    std::optional<run_id> named;
    if (call.body) {
        if (auto given = call.body->text("run_id")) {
            named = run_id{*std::move(given)};
        }
    }
    const auto run = co_await find_run(parts, &call, std::move(named));
    if (!run) {
        co_return run.error();
    }
    const auto cancelled = co_await parts.sessions->cancel(call.who.organization, run->id);
    if (!cancelled) {
        co_return problem_of(cancelled.error());
    }
    co_return json_answer(202, run_as_json(*cancelled));
}

// ---- the session -----------------------------------------------------------------------------------------

awaitable<handled> open_session(session_route_parts parts, route_call call) {
    channel_id agent{*call.body->text("agent")};
    std::string owner = call.body->text("owner").value_or(call.who.user);
    const auto opened = co_await parts.sessions->open(
        call.who.organization, call.room->room.id, std::move(agent), std::move(owner)
    );
    if (!opened) {
        co_return problem_of(opened.error());
    }
    co_return json_answer(200, session_as_json(*opened, {}, {}));
}

awaitable<handled> get_session(session_route_parts parts, route_call call) {
    ops::get_session request{call.who.organization, call.room->room.id};
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    ops::list_approvals open;
    open.organization = call.who.organization;
    open.room = call.room->room.id;
    open.state = approval_state::pending;
    auto asked = co_await parts.kit->store().run(std::move(open));
    if (!asked) {
        co_return problem_of(asked.error());
    }
    const auto shown = co_await show_approvals(parts.kit, call.who, *std::move(asked));
    if (!shown) {
        co_return shown.error();
    }
    co_return json_answer(200, session_as_json(found->session, found->state, *shown));
}

awaitable<handled> list_runs(session_route_parts parts, route_call call) {
    ops::list_runs request{call.who.organization, call.room->room.id};
    request.limit = static_cast<std::size_t>(call.integer("limit").value_or(20));
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object().key("runs").begin_array();
    for (const agent_run_record& run : *found) {
        write_run(out, run);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

/// Where every session is.
const run_place& in_its_room() {
    static const run_place place{"/api/v1/rooms/{room_id}", "", nullptr};
    return place;
}

schema run_input_schema() {
    return schema::object(
        "RunAgentInput",
        {required("threadId", schema::id(), "The room"),
         required("runId", schema::id(), "The client's name for the run"),
         required("messages", schema::list(schema::any_object())),
         optional("tools", schema::list(schema::any_object())),
         optional("context", schema::list(schema::any_object())),
         optional("state", schema::any_object()),
         optional("resume", schema::list(schema::any_object()))}
    );
}

}  // namespace

std::vector<route> run_routes(session_route_parts parts, const run_place& place) {
    std::vector<route> routes;

    route running = run_route(
        place,
        http_method::post,
        "/agent",
        "run_agent",
        "Starts a run; its events are the answer (AG-UI, SSE)",
        parts,
        run_agent
    );
    running.parameters = {query_parameter(
        "on_disconnect",
        schema::word("DisconnectPolicy", {"cancel", "detach", "grace"}),
        "What becomes of the run when the reader of this answer leaves",
        "cancel"
    )};
    running.body = run_input_schema();
    running.reading = body_rule::raw;
    running.answers = {{200, "Frames", std::nullopt, "text/event-stream"}};
    routes.push_back(std::move(running));

    route reading = run_route(
        place,
        http_method::get,
        "/agent/stream",
        "stream_run",
        "A run's frames, from any one on (SSE)",
        parts,
        read_run
    );
    reading.parameters = {
        query_parameter("after", schema::text({1, 128}), "The id of the last frame that was seen"),
        header_parameter(
            "last-event-id", schema::text({1, 128}), "The same, as a browser sends it"
        ),
        query_parameter("run_id", schema::id(), "Left out: the running or last run"),
    };
    reading.answers = {
        {200, "Frames", std::nullopt, "text/event-stream"},
        {204, "All of it was seen", std::nullopt, ""},
    };
    routes.push_back(std::move(reading));

    route cancelling = run_route(
        place,
        http_method::post,
        "/agent/cancel",
        "cancel_run",
        "Ends a run, on whichever worker it is",
        parts,
        cancel_run
    );
    cancelling.body = schema::input(
        "CancelRun", {optional("run_id", schema::id(), "Left out: the last")}
    );
    cancelling.body_presence = presence::optional;
    cancelling.answers = {{202, "The run, as it was", run_schema()}};
    routes.push_back(std::move(cancelling));

    for (route& one : wake_routes(parts, place)) {
        routes.push_back(std::move(one));
    }
    return routes;
}

std::vector<route> session_routes(session_route_parts parts) {
    std::vector<route> routes;

    route opening = run_route(
        in_its_room(),
        http_method::put,
        "/session",
        "open_session",
        "Lets an agent of the room drive it",
        parts,
        open_session
    );
    opening.who = permission::room_manager;
    opening.body = schema::input(
        "NewSession",
        {required("agent", schema::id(), "A channel of type `agent` that is bound to the room"),
         optional("owner", schema::text({0, 256}), "Left out: who asks")}
    );
    opening.answers = {{200, "The session", session_schema()}};
    routes.push_back(std::move(opening));

    route looking = run_route(
        in_its_room(),
        http_method::get,
        "/session",
        "get_session",
        "What the session is doing",
        parts,
        get_session
    );
    looking.answers = {{200, "The session", session_schema()}};
    routes.push_back(std::move(looking));

    for (route& one : run_routes(parts, in_its_room())) {
        routes.push_back(std::move(one));
    }

    route listing = run_route(
        in_its_room(),
        http_method::get,
        "/runs",
        "list_runs",
        "The session's runs, newest first",
        parts,
        list_runs
    );
    listing.parameters = {query_parameter("limit", schema::integer({1, 100}), "At most", "20")};
    listing.answers = {
        {200, "Runs", schema::object("RunList", {required("runs", schema::list(run_schema()))})},
    };
    routes.push_back(std::move(listing));
    return routes;
}

}  // namespace convene
