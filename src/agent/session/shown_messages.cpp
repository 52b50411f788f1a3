// SPDX-License-Identifier: Apache-2.0
// Shown messages: what of them is in the timeline is looked up, the rest is appended.
#include "agent/session/shown_messages.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "store/operations/timeline.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

outgoing_event event_of(const shown_messages& shown, const told_message& message) {
    outgoing_event sent;
    sent.organization = shown.run.organization;
    sent.room = shown.run.room;
    sent.id = event_id{message.id};
    sent.channel = shown.agent;
    sent.addressed_to = std::vector<channel_id>{};
    sent.correlation_id = shown.run.id.str();
    sent.content = content::text(message.text);
    sent.idempotency_key = "run:" + shown.run.id.str() + ":" + message.id;
    if (!message.is_whole) {
        json_writer out;
        out.begin_object().key("finish_reason").string("interrupted").end_object();
        sent.metadata = out.take();
    }
    return sent;
}

/// Whoever tries it again, the room will not take it.
bool is_refused_for_good(error_code failure) {
    return failure == condition::caller_error || failure == errc::hook_failed;
}

awaitable<result<>> keep(conversation_store* store, shown_messages shown, event_append append) {
    std::erase_if(shown.messages, [](const told_message& one) { return one.text.empty(); });
    if (shown.messages.empty()) {
        co_return result<>{};
    }
    ops::find_events look;
    look.room = shown.run.room;
    for (const told_message& message : shown.messages) {
        look.ids.emplace_back(message.id);
    }
    const auto stored = co_await store->run(std::move(look));
    if (!stored) {
        co_return stored.error();
    }
    for (const told_message& message : shown.messages) {
        if (std::ranges::find(*stored, event_id{message.id}, &room_event::id) != stored->end()) {
            continue;
        }
        outgoing_event sent = event_of(shown, message);
        driver_append with;
        with.epoch = shown.epoch;
        const result<> kept = co_await append(std::move(sent), std::move(with));
        if (!kept) {
            co_return kept;
        }
    }
    co_return result<>{};
}

}  // namespace

awaitable<result<>> keep_shown_messages(
    conversation_store* store, shown_messages shown, event_append append
) {
    const run_id run = shown.run.id;
    const result<> kept = co_await keep(store, std::move(shown), std::move(append));
    if (kept || !is_refused_for_good(kept.error())) {
        co_return kept;
    }
    log(log_level::warn,
        "run.text_not_kept",
        {{"run", run.str()}, {"error", kept.error().message()}});
    co_return result<>{};
}

}  // namespace convene
