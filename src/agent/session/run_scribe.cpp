// SPDX-License-Identifier: Apache-2.0
// Run scribe: shown first, stored under the id that was shown.
#include "agent/session/run_scribe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json_writer.hpp"
#include "store/operations/timeline.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// An append that meets a passing failure is made again under its key, for as long as the driver could still have its lease.
constexpr std::chrono::milliseconds append_patience{8'000};
constexpr std::chrono::milliseconds between_tries{100};

json_text finish_metadata(std::string_view finish_reason) {
    json_writer out;
    out.begin_object().key("finish_reason").string(finish_reason).end_object();
    return out.take();
}

}  // namespace

bool is_fenced(error_code failure) {
    return failure == errc::driver_fenced || failure == errc::lease_lost ||
           failure == errc::incarnation_dead;
}

bool may_pass(error_code failure) {
    return !is_fenced(failure) &&
           (failure == condition::retryable || failure == condition::outcome_unknown);
}

void set_result(tool_call_fields* call, tool_call_status how, std::string text) {
    call->status = how;
    if (how == tool_call_status::failed) {
        call->error = std::move(text);
        return;
    }
    json_writer out;
    out.string(text);
    call->result = out.take();
}

void run_scribe::open(told_run before) {
    told_ = std::move(before.transcript);
    stream_ = with_.streams->open(run_, std::move(before.encoder));
}

awaitable<result<>> run_scribe::say(run_event event) {
    told_.take(event);
    const result<> said = co_await stream_->say(std::move(event));
    co_return said;
}

/// Once all of it was shown: so what a reader has put together is never less than what is stored.
awaitable<result<>> run_scribe::append_text(
    std::string id, std::string text, std::string finish_reason
) {
    const result<> shown = co_await stream_->flushed();
    if (!shown) {
        co_return shown;
    }
    outgoing_event sent = own_event();
    sent.id = event_id{id};
    sent.content = content::text(text);
    sent.idempotency_key = "run:" + run_.id.str() + ":" + id;
    if (!finish_reason.empty()) {
        sent.metadata = finish_metadata(finish_reason);
    }
    const result<> appended = co_await append(std::move(sent), own_append());
    if (appended) {
        stored_.push_back(std::move(id));
    }
    co_return appended;
}

/// The call's result, under the id that it was shown with, and what the call leaves in the room: once, whoever stores it.
awaitable<result<>> run_scribe::append_shown_call(tool_call_fields call, std::string id) {
    const result<> shown = co_await stream_->flushed();
    if (!shown) {
        co_return shown;
    }
    driver_append with = own_append();
    // A tool of another kind may have the same name: it leaves nothing.
    const std::optional<room_tool> named = room_tool_from(call.tool_name);
    const bool is_leaving = named && std::ranges::find(leaving_, *named) != leaving_.end();
    if (is_leaving && call.status == tool_call_status::completed) {
        answer_notes left;
        repeat_note(&left, call.tool_name, call.arguments);
        with.tasks = std::move(left.tasks);
        with.observations = std::move(left.observations);
    }
    outgoing_event sent = own_event();
    sent.id = event_id{id};
    sent.content = content::tool_call(call);
    sent.type = event_type::tool_call_end;
    sent.idempotency_key = "run:" + run_.id.str() + ":" + id;
    const result<> appended = co_await append(std::move(sent), std::move(with));
    if (appended) {
        stored_.push_back(std::move(id));
    }
    co_return appended;
}

awaitable<result<>> run_scribe::append(outgoing_event sent, driver_append with) {
    const deadline until{with_.where->now() + append_patience};
    for (;;) {
        outgoing_event again = sent;
        driver_append again_with = with;
        const auto stored = co_await with_.kit->append_for_session(
            std::move(again), std::move(again_with)
        );
        if (stored) {
            co_return result<>{};
        }
        if (!may_pass(stored.error()) || until.has_passed(with_.where->now())) {
            co_return stored.error();
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return slept;
        }
    }
}

outgoing_event run_scribe::own_event() const {
    outgoing_event sent;
    sent.organization = run_.organization;
    sent.room = run_.room;
    sent.channel = agent_;
    sent.addressed_to = std::vector<channel_id>{};
    sent.correlation_id = run_.id.str();
    return sent;
}

driver_append run_scribe::own_append() const {
    driver_append with;
    with.epoch = run_.epoch;
    return with;
}

awaitable<result<>> run_scribe::find_stored(std::vector<std::string> ids) {
    ops::find_events look;
    look.room = run_.room;
    for (std::string& id : ids) {
        if (!id.empty()) {
            look.ids.emplace_back(std::move(id));
        }
    }
    if (look.ids.empty()) {
        co_return result<>{};
    }
    const auto found = co_await with_.kit->store().run(std::move(look));
    if (!found) {
        co_return found.error();
    }
    for (const room_event& event : *found) {
        stored_.push_back(event.id.str());
    }
    co_return result<>{};
}

bool run_scribe::is_stored(const std::string& id) const {
    return std::ranges::find(stored_, id) != stored_.end();
}

}  // namespace convene
