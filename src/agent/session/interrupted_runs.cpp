// SPDX-License-Identifier: Apache-2.0
// Interrupted runs: the text first, then the frames that end the stream.
#include "agent/session/interrupted_runs.hpp"

#include <ranges>
#include <utility>

#include "agent/session/told_run.hpp"
#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

awaitable<result<>> close_one(
    conversation_store* store,
    run_log* streams,
    closed_session of,
    agent_run_record run,
    event_append append
) {
    ops::close_stream request;
    request.room = run.room;
    request.run = run.id;
    request.epoch = of.epoch;
    auto last_frames = co_await make_last_frames(store, std::move(of), run, std::move(append));
    if (!last_frames) {
        co_return last_frames.error();
    }
    request.last_frames = *last_frames;
    const auto closed = co_await store->run(std::move(request));
    if (!closed) {
        co_return closed.error();
    }
    streams->tell_of(*closed, *last_frames);
    co_return result<>{};
}

}  // namespace

awaitable<result<std::vector<run_frame>>> make_last_frames(
    conversation_store* store, closed_session of, agent_run_record run, event_append append
) {
    auto told = co_await load_told_run(store, run);
    if (!told && told.error() != errc::corrupt_data) {
        co_return told.error();
    }
    told_run known = told ? *std::move(told) : told_run{};
    shown_messages shown;
    shown.agent = std::move(of.agent);
    shown.epoch = of.epoch;
    shown.run = run;
    shown.messages = known.transcript.messages();
    const result<> kept = co_await keep_shown_messages(store, std::move(shown), std::move(append));
    if (!kept) {
        co_return kept.error();
    }
    co_return closing_frames(std::move(known), run);
}

awaitable<result<>> close_interrupted_runs(
    conversation_store* store, run_log* streams, closed_session of, event_append append
) {
    ops::list_runs look{of.organization, of.room};
    const auto runs = co_await store->run(std::move(look));
    if (!runs) {
        co_return runs.error();
    }
    for (const agent_run_record& run : *runs | std::views::reverse) {
        if (run.status != run_status::interrupted || run.is_stream_over) {
            continue;
        }
        const result<> closed = co_await close_one(store, streams, of, run, append);
        if (!closed) {
            co_return closed;
        }
    }
    co_return result<>{};
}

}  // namespace convene
