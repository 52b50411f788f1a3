// SPDX-License-Identifier: Apache-2.0
// The writer: what a loop makes, in the events that a room keeps of an answer.
#include "agent/answer_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json_writer.hpp"

namespace convene {

namespace {

content pending_record(const tool_call& call) {
    tool_call_fields fields;
    fields.tool_name = call.name;
    fields.tool_id = call.id;
    fields.arguments = call.arguments;
    return content::tool_call(fields);
}

content ended_record(const tool_call& call, const call_outcome& outcome) {
    tool_call_fields fields;
    fields.tool_name = call.name;
    fields.tool_id = call.id;
    fields.arguments = call.arguments;
    fields.duration_ms = outcome.took.count();
    if (outcome.what == call_outcome::state::completed) {
        fields.status = tool_call_status::completed;
        json_writer text;
        text.string(outcome.text);
        fields.result = text.take();
    } else {
        fields.status = tool_call_status::failed;
        fields.error = outcome.text;
    }
    return content::tool_call(fields);
}

/// For people, in our own words; the code is for programs.
std::string describe(error_code failed) {
    if (failed == errc::model_unavailable) {
        return "the model can't be reached";
    }
    if (failed == errc::model_overloaded) {
        return "the model takes no more requests now";
    }
    if (failed == errc::model_refused) {
        return "the model's provider refuses the request";
    }
    if (failed == errc::answer_cut_off) {
        return "the model's answer was cut off";
    }
    return failed == errc::timed_out ? "the answer took too long" : "the answer could not be made";
}

void describe_failure(agent_answer* into, error_code failed) {
    const bool is_cut_off = failed == errc::cancelled || failed == errc::timed_out;
    const bool is_ours = failed.category() == convene_category();
    into->finish_reason = is_cut_off ? "interrupted" : "failed";
    into->outcome.error_code = is_ours ? name_of(static_cast<errc>(failed.value()))
                                       : "agent_failed";
    into->outcome.error_message = describe(failed);
}

}  // namespace

answer_writer::answer_writer(
    answer_sink* sink, coroutine_context around, answer_writer_settings with
)
    : sink_(*sink),
      where_(*around.where),
      with_(std::move(with)),
      segments_(with_.segments),
      scope_(*around.where, around.cancel) {}

awaitable<result<>> answer_writer::piece(model_piece made) {
    // What a model thinks is no part of the room; calls are recorded once they are complete.
    const auto* text = std::get_if<text_piece>(&made);
    if (text == nullptr) {
        co_return result<>{};
    }
    if (with_.form == answer_form::whole) {
        whole_ += text->text;
        co_return result<>{};
    }
    segments_.add(text->text, where_.now());
    const result<> told = co_await say_ready();
    if (!is_watching_) {
        is_watching_ = true;
        scope_.spawn("segments", watch_for_pauses());
    }
    more_.set();
    co_return told;
}

/// What has gathered while the model says nothing.
awaitable<void> answer_writer::watch_for_pauses() {
    while (!is_over_) {
        const std::optional<monotonic_time> late = segments_.late_at();
        const deadline until = late ? deadline{*late} : deadline::never();
        const result<> woken = co_await with_deadline(until, until_set(&more_));
        if (!woken && woken.error() != errc::timed_out) {
            co_return;
        }
        more_.reset();
        if (is_over_ || woken) {
            continue;  // who added something has said what was ready
        }
        const result<> told = co_await say_ready();
        if (!told) {
            failed_ = told;
            co_return;
        }
    }
}

/// All segments that are ready, and the failure of an earlier one.
awaitable<result<>> answer_writer::say_ready() {
    const result<> free = co_await take_turn();
    if (!free) {
        co_return free;
    }
    result<> told = failed_;
    std::optional<std::string> ready = told ? segments_.next(where_.now()) : std::nullopt;
    while (ready) {
        told = co_await say(*std::move(ready));
        ready = told ? segments_.next(where_.now()) : std::nullopt;
    }
    end_turn();
    co_return told;
}

awaitable<result<>> answer_writer::say_rest() {
    const result<> free = co_await take_turn();
    if (!free) {
        co_return free;
    }
    result<> told = failed_;
    std::optional<std::string> rest = told ? segments_.finish() : std::nullopt;
    if (rest) {
        told = co_await say(*std::move(rest));
    }
    end_turn();
    co_return told;
}

awaitable<result<>> answer_writer::take_turn() {
    while (is_saying_) {
        const result<> waited = co_await said_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    is_saying_ = true;
    co_return result<>{};
}

void answer_writer::end_turn() noexcept {
    is_saying_ = false;
    said_.notify_all();
}

awaitable<result<>> answer_writer::said(model_answer answer) {
    if (answer.message.calls.empty()) {
        co_return result<>{};
    }
    if (with_.form == answer_form::whole) {
        whole_ += whole_.empty() ? "" : "\n\n";
        co_return result<>{};
    }
    // Tools can take long: what was said before them is not held back.
    const result<> told = co_await say_rest();
    co_return told;
}

awaitable<result<answer_writer::refusal>> answer_writer::intend(
    tool_call call, std::string /*call_key*/
) {
    content record = pending_record(call);
    open_.push_back(std::move(call));
    const result<> stored = co_await sink_.record(std::move(record), with_.calls_shown_to);
    co_return stored ? result<refusal>{refusal{}} : result<refusal>{stored.error()};
}

awaitable<result<>> answer_writer::ended(tool_call call, call_outcome outcome) {
    std::erase_if(open_, [&call](const tool_call& one) { return one.id == call.id; });
    content record = ended_record(call, outcome);
    const result<> stored = co_await sink_.record(std::move(record), with_.calls_shown_to);
    co_return stored;
}

awaitable<agent_answer> answer_writer::conclude(loop_end end) {
    // A segment that is being said is said to its end: what is left comes behind it.
    is_over_ = true;
    more_.set();
    co_await shielded(scope_.join());
    agent_answer given;
    given.finish_reason = word_of(end.finish);
    if (end.finish == loop_finish::failed) {
        describe_failure(&given, end.error);
    }
    co_await record_cut_off();
    std::string rest = take_rest();
    const bool says_nothing = rest.empty() && !has_segments_;
    if (end.finish == loop_finish::refused && says_nothing) {
        describe_failure(&given, errc::model_refused);
    }
    if (end.finish == loop_finish::tool_limit && says_nothing) {
        given.outcome.error_code = "tool_limit";
        given.outcome.error_message = "the model called tools until no more calls were allowed";
    }
    if (rest.empty()) {
        co_return given;
    }
    if (has_segments_ || end.finish == loop_finish::failed) {
        // A failed answer keeps what came of it, and is closed behind that as cut off.
        const result<> told = co_await say(std::move(rest));
        if (!told && given.outcome.error_code.empty()) {
            describe_failure(&given, told.error());
        }
        co_return given;
    }
    given.whole = content::text(rest);
    co_return given;
}

awaitable<result<>> answer_writer::say(std::string text) {
    content piece = content::text(text);
    const result<> told = co_await sink_.segment(std::move(piece));
    has_segments_ = has_segments_ || told.has_value();
    co_return told;
}

/// Only where the room still takes them: with a worker that stops, the pending records tell the same.
awaitable<void> answer_writer::record_cut_off() {
    for (const tool_call& call : open_) {
        call_outcome unknown;
        unknown.what = call_outcome::state::unknown;
        unknown.text = outcome_unknown_text;
        content record = ended_record(call, unknown);
        const result<> stored = co_await sink_.record(std::move(record), with_.calls_shown_to);
        if (!stored) {
            break;
        }
    }
    open_.clear();
}

std::string answer_writer::take_rest() {
    if (with_.form == answer_form::whole) {
        const std::size_t last = whole_.find_last_not_of(" \t\r\n");
        whole_.resize(last == std::string::npos ? 0 : last + 1);
        return std::move(whole_);
    }
    return segments_.finish().value_or(std::string{});
}

}  // namespace convene
