// SPDX-License-Identifier: Apache-2.0
// Session driver: the stream is opened, what a former driver left is settled, the order is appended, the loop runs, and
// the run ends once.
#include "agent/session/session_driver.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "agent/session/told_run.hpp"
#include "base/canonical_json.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "base/text_boundary.hpp"
#include "room/permissions.hpp"
#include "store/operations/timeline.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t history_events = 200;

/// An append that meets a passing failure is made again under its key, a few times.
constexpr int append_tries = 4;
constexpr std::chrono::milliseconds between_tries{100};

constexpr std::string_view not_answered_text = "Nobody answered this call.";

/// Another driver has the session, or will have it: this one may say nothing more.
bool is_fenced(error_code failure) {
    return failure == errc::driver_fenced || failure == errc::lease_lost ||
           failure == errc::incarnation_dead;
}

bool may_pass(error_code failure) {
    return failure == condition::retryable || failure == condition::outcome_unknown;
}

bool is_scoped(std::string_view key) {
    return key.starts_with("user:") || key.starts_with("app:") || key.starts_with("temp:");
}

/// What a client says of the state is about its session only.
json_text session_part_of(const json_text& state) {
    const auto document = json_document::parse(
        state.str(), "state", boundary_limits::of_stored_json()
    );
    json_writer out;
    out.begin_object();
    if (document && document->root().is_object()) {
        for (const auto& member : document->root().get_object()) {
            const std::string_view key{member.key().data(), member.key().size()};
            const auto value = find_member(state.str(), key);
            if (!is_scoped(key) && value) {
                out.key(key).json(json_text::trusted(std::string{*value}));
            }
        }
    }
    out.end_object();
    return out.take();
}

/// All scopes in one object, as a client sees them.
json_text merged(const session_state& state) {
    json_writer out;
    out.begin_object();
    const auto add = [&out](const json_text& scope, std::string_view prefix) {
        const auto document = json_document::parse(
            scope.str(), "state", boundary_limits::of_stored_json()
        );
        if (!document || !document->root().is_object()) {
            return;
        }
        for (const auto& member : document->root().get_object()) {
            const std::string_view key{member.key().data(), member.key().size()};
            if (const auto value = find_member(scope.str(), key)) {
                out.key(std::string{prefix} + std::string{key});
                out.json(json_text::trusted(std::string{*value}));
            }
        }
    };
    add(state.session, {});
    add(state.user, "user:");
    add(state.app, "app:");
    out.end_object();
    return out.take();
}

std::string instructions_of(std::string instructions, const std::vector<run_context_item>& told) {
    if (told.empty()) {
        return instructions;
    }
    instructions += instructions.empty() ? "" : "\n\n";
    instructions += "What the other side says about where it is:";
    for (const run_context_item& item : told) {
        instructions += "\n- " + item.description + ": " + item.value;
    }
    return instructions;
}

json_text finish_metadata(std::string_view finish_reason) {
    json_writer out;
    out.begin_object().key("finish_reason").string(finish_reason).end_object();
    return out.take();
}

json_text text_value(std::string_view text) {
    json_writer out;
    out.string(text);
    return out.take();
}

/// The word of a code in the form in which the API writes it.
std::string code_of(error_code failure) {
    if (failure.category() != convene_category()) {
        return "RUN_FAILED";
    }
    std::string word{name_of(static_cast<errc>(failure.value()))};
    std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return word;
}

}  // namespace

session_driver::session_driver(
    driver_parts with,
    session_agent agent,
    ops::begin_run::answer begun,
    session_turn turn,
    turn_order order
)
    : with_(with),
      agent_(std::move(agent)),
      begun_(std::move(begun)),
      turn_(std::move(turn)),
      order_(std::move(order)) {}

awaitable<drive_end> session_driver::drive() {
    result<loop_end> answered = errc::unavailable;
    const result<> opened = co_await open_stream();
    if (opened) {
        answered = co_await answer();
    } else {
        answered = opened.error();
    }
    const coroutine_context context = co_await this_context();
    if (context.cancel != nullptr && context.cancel->is_requested()) {
        // Whatever came of it: it was cut off.
        answered = context.cancel->reason();
    }
    drive_end end = co_await shielded(conclude(std::move(answered)));
    co_return end;
}

// ---- before the model is asked ---------------------------------------------------------------------------

/// What is stored of the stream is where it goes on.
awaitable<result<>> session_driver::open_stream() {
    told_run before;
    if (begun_.is_takeover) {
        auto loaded = co_await load_told_run(&with_.kit->store(), begun_.run);
        if (!loaded) {
            co_return loaded.error();
        }
        before = *std::move(loaded);
    }
    told_ = std::move(before.transcript);
    stream_ = with_.streams->open(begun_.run, std::move(before.encoder));
    if (begun_.interrupted && !begun_.interrupted->is_stream_over) {
        const result<> closed = co_await close_interrupted(*begun_.interrupted);
        if (!closed) {
            co_return closed;
        }
    }
    if (begun_.is_takeover) {
        const result<> settled = co_await settle_former();
        if (!settled) {
            co_return settled;
        }
    }
    run_events::started started{begun_.run.room.str(), order_.said.run};
    const result<> said = co_await say(std::move(started));
    if (!said) {
        co_return said;
    }
    if (json_text state = merged(begun_.state); state != json_text{} && !begun_.is_takeover) {
        run_events::state_snapshot snapshot{std::move(state)};
        const result<> shown = co_await say(std::move(snapshot));
        if (!shown) {
            co_return shown;
        }
    }
    const result<> appended = co_await append_order();
    co_return appended;
}

/// A former driver has shown more than it stored: the rest is stored now, under the ids that were shown.
awaitable<result<>> session_driver::settle_former() {
    std::vector<std::string> shown;
    for (const told_message& message : told_.messages()) {
        shown.push_back(message.id);
    }
    for (const told_call& call : told_.calls()) {
        shown.push_back(call.result_id);
    }
    const result<> looked = co_await find_stored(std::move(shown));
    if (!looked) {
        co_return looked;
    }
    const result<> settled = co_await settle_open();
    co_return settled;
}

/// Which of these ids are events by now.
awaitable<result<>> session_driver::find_stored(std::vector<std::string> ids) {
    ops::find_events look;
    look.room = begun_.run.room;
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

/// Another run that nobody goes on with: what it had shown is kept, and its stream gets an end.
awaitable<result<>> session_driver::close_interrupted(agent_run_record run) {
    auto told = co_await load_told_run(&with_.kit->store(), run);
    if (!told) {
        co_return told.error();
    }
    const std::vector<told_message> messages = told->transcript.messages();
    std::vector<std::string> shown;
    shown.reserve(messages.size());
    for (const told_message& message : messages) {
        shown.push_back(message.id);
    }
    const result<> looked = co_await find_stored(std::move(shown));
    if (!looked) {
        co_return looked;
    }
    for (const told_message& message : messages) {
        const bool is_stored = std::ranges::find(stored_, message.id) != stored_.end();
        if (!is_stored && !message.text.empty()) {
            const result<> kept = co_await append_text(message.id, message.text, "interrupted");
            if (!kept) {
                co_return kept;
            }
        }
    }
    ops::close_stream request;
    request.room = run.room;
    request.run = run.id;
    request.epoch = begun_.run.epoch;
    request.last_frames = closing_frames(*std::move(told), run);
    const std::vector<run_frame> frames = request.last_frames;
    const auto closed = co_await with_.kit->store().run(std::move(request));
    if (!closed) {
        co_return closed.error();
    }
    with_.streams->tell_of(*closed, frames);
    co_return result<>{};
}

awaitable<result<>> session_driver::append_order() {
    if (turn_.is_input_consumed) {
        co_return result<>{};
    }
    // Each call that was open gets its one result: the one that came, or none.
    for (const open_call& call : begun_.session.open_calls) {
        const auto given = std::ranges::find(
            order_.said.results, call.id, &client_tool_result::call
        );
        client_tool_result result_of_call;
        if (given != order_.said.results.end()) {
            result_of_call = *given;
        } else {
            result_of_call = {"", call.id, std::string{not_answered_text}, true};
        }
        const result<> appended = co_await append_result(call, std::move(result_of_call));
        if (!appended) {
            co_return appended;
        }
    }
    const std::vector<new_user_message>& messages = order_.said.messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        outgoing_event sent;
        sent.organization = begun_.run.organization;
        sent.room = begun_.run.room;
        sent.channel = order_.channel;
        sent.participant = order_.participant;
        sent.content = content::text(messages[i].text);
        sent.idempotency_key = "agui:" + messages[i].id;
        // The driver answers: nobody else is asked.
        sent.addressed_to = std::vector<channel_id>{};
        driver_append with = own_append();
        if (i + 1 == messages.size()) {
            with.turn = turn_.id.str();
        }
        if (i == 0 && order_.said.state) {
            with.session_state = session_part_of(*order_.said.state);
        }
        const result<> appended = co_await append(std::move(sent), std::move(with));
        if (!appended) {
            co_return appended;
        }
    }
    co_return result<>{};
}

awaitable<result<>> session_driver::append_result(open_call call, client_tool_result given) {
    tool_call_fields fields;
    fields.tool_name = std::move(call.name);
    fields.tool_id = call.id;
    fields.arguments = std::move(call.arguments);
    if (given.is_error) {
        fields.status = tool_call_status::failed;
        fields.error = std::move(given.text);
    } else {
        fields.status = tool_call_status::completed;
        fields.result = text_value(given.text);
    }
    const result<> appended = co_await append_call(std::move(fields), "call:" + call.id);
    co_return appended;
}

// ---- the answer ------------------------------------------------------------------------------------------

awaitable<result<loop_end>> session_driver::answer() {
    auto prepared = co_await prepare();
    if (!prepared) {
        co_return prepared.error();
    }
    loop_end end = co_await run_tool_loop(agent_.model.get(), *std::move(prepared), this);
    if (end.finish == loop_finish::failed) {
        log(log_level::warn,
            "run.failed",
            {{"run", begun_.run.id.str()}, {"error", end.error.message()}});
    }
    co_return end;
}

awaitable<result<tool_loop_request>> session_driver::prepare() {
    const auto around = co_await with_.kit->get_room(begun_.run.organization, begun_.run.room);
    if (!around) {
        co_return around.error();
    }
    const binding* own = around->find_binding(agent_.id);
    if (own == nullptr) {
        co_return errc::channel_not_registered;
    }
    ops::list_events request;
    request.organization = begun_.run.organization;
    request.room = begun_.run.room;
    request.newest_first = true;
    request.limit = history_events;
    auto events = co_await with_.kit->store().run(std::move(request));
    if (!events) {
        co_return events.error();
    }
    chat_window_source source;
    source.agent = agent_.id;
    source.history = visible_history(*around, *own, *std::move(events));
    source.participants = around->participants;

    tool_loop_request asked;
    asked.question = agent_.question;
    asked.question.system = instructions_of(asked.question.system, order_.said.context);
    asked.question.messages = make_chat_window(source, agent_.window).messages;
    asked.tools = agent_.tools;
    asked.client_tools = order_.said.tools;
    asked.context.organization = begun_.run.organization;
    asked.context.room = begun_.run.room;
    asked.context.agent = agent_.id;
    asked.context.on_behalf_of = order_.participant.str();
    asked.context.call_key = begun_.run.id.str() + ":" + std::to_string(begun_.run.epoch);
    asked.limits = agent_.limits;
    co_return asked;
}

awaitable<result<>> session_driver::piece(model_piece made) {
    run_event event = run_events::custom{};
    if (auto* text = std::get_if<text_piece>(&made)) {
        event = run_events::text{message(), std::move(text->text)};
    } else if (auto* thinking = std::get_if<thinking_piece>(&made)) {
        event = run_events::thinking{message() + ":thinking", std::move(thinking->text)};
    } else if (auto* start = std::get_if<call_start>(&made)) {
        event = run_events::call_start{told_id(start->id), std::move(start->name), message()};
    } else if (auto* arguments = std::get_if<call_arguments>(&made)) {
        event = run_events::call_arguments{told_id(arguments->id), std::move(arguments->text)};
    } else if (auto* end = std::get_if<call_end>(&made)) {
        event = run_events::call_end{told_id(end->id)};
    }
    const result<> told = co_await say(std::move(event));
    co_return told;
}

awaitable<result<>> session_driver::said(model_answer answer) {
    const std::string id = message();
    // Its calls are still told by the ids that they got in it.
    message_.clear();
    if (answer.message.text.empty()) {
        co_return result<>{};
    }
    run_events::text_end end{id};
    const result<> told = co_await say(std::move(end));
    if (!told) {
        co_return told;
    }
    const bool is_cut = answer.finish != finish_reason::stop &&
                        answer.finish != finish_reason::tool_calls;
    std::string finish = is_cut ? std::string{word_of(answer.finish)} : std::string{};
    const result<> appended = co_await append_text(
        id, std::move(answer.message.text), std::move(finish)
    );
    co_return appended;
}

awaitable<result<>> session_driver::intend(tool_call call, std::string call_key) {
    ops::start_tool_call request;
    request.intent.room = begun_.run.room;
    request.intent.run = begun_.run.id;
    request.intent.call_id = told_id(call.id);
    request.intent.tool = std::move(call.name);
    request.intent.arguments_digest = to_hex(sha256(call.arguments.str()));
    request.intent.epoch = begun_.run.epoch;
    static_cast<void>(call_key);  // the tool is given it; the intent has the run and the call
    const auto stored = co_await with_.kit->store().run(std::move(request));
    co_return stored ? result<>{} : result<>{stored.error()};
}

awaitable<result<>> session_driver::ended(tool_call call, call_outcome outcome) {
    const std::string id = told_id(call.id);
    const bool is_good = outcome.what == call_outcome::state::completed;
    ops::end_tool_call request;
    request.room = begun_.run.room;
    request.run = begun_.run.id;
    request.call_id = id;
    request.epoch = begun_.run.epoch;
    request.state = is_good                                       ? tool_intent_state::done
                    : outcome.what == call_outcome::state::failed ? tool_intent_state::failed
                                                                  : tool_intent_state::unknown;
    const auto noted = co_await with_.kit->store().run(std::move(request));
    // A call that was refused had no intent.
    if (!noted && noted.error() != errc::not_found) {
        co_return noted.error();
    }
    const std::string event = with_.ids->next<event_id>().str();
    run_events::call_result told{id, event, outcome.text};
    const result<> shown = co_await say(std::move(told));
    if (!shown) {
        co_return shown;
    }
    tool_call_fields fields;
    fields.tool_name = std::move(call.name);
    fields.tool_id = id;
    fields.arguments = std::move(call.arguments);
    fields.duration_ms = outcome.took.count();
    if (is_good) {
        fields.status = tool_call_status::completed;
        fields.result = text_value(outcome.text);
    } else {
        fields.status = tool_call_status::failed;
        fields.error = std::move(outcome.text);
    }
    const result<> appended = co_await append_shown_call(std::move(fields), event);
    co_return appended;
}

// ---- the end ---------------------------------------------------------------------------------------------

/// What was shown and is not stored yet: a message that was cut off is kept as far as it came, a call that has no result
/// gets one that says so.
awaitable<result<>> session_driver::settle_open() {
    const std::vector<told_message> messages = told_.messages();
    for (const told_message& message : messages) {
        const bool is_stored = std::ranges::find(stored_, message.id) != stored_.end();
        run_events::text_end end{message.id};
        const result<> told = co_await say(std::move(end));
        if (!told) {
            co_return told;
        }
        if (is_stored || message.text.empty()) {
            continue;
        }
        std::string finish = message.is_whole ? "" : "interrupted";
        const result<> appended = co_await append_text(message.id, message.text, std::move(finish));
        if (!appended) {
            co_return appended;
        }
    }
    const std::vector<told_call> calls = told_.calls();
    for (const told_call& call : calls) {
        if (std::ranges::find(stored_, call.result_id) != stored_.end()) {
            continue;
        }
        tool_call_fields fields;
        fields.tool_name = call.tool;
        fields.tool_id = call.id;
        fields.arguments = clean_json(call.arguments).value;
        if (call.result) {
            // It was shown, and its worker died before it was stored.
            fields.status = tool_call_status::completed;
            fields.result = text_value(*call.result);
            const result<> kept = co_await append_shown_call(std::move(fields), call.result_id);
            if (!kept) {
                co_return kept;
            }
            continue;
        }
        ops::end_tool_call cut;
        cut.room = begun_.run.room;
        cut.run = begun_.run.id;
        cut.call_id = call.id;
        cut.epoch = begun_.run.epoch;
        cut.state = tool_intent_state::unknown;
        const auto noted = co_await with_.kit->store().run(std::move(cut));
        // One that was not to be made yet, or is a client's, has no intent.
        if (!noted && noted.error() != errc::not_found) {
            co_return noted.error();
        }
        const std::string event = with_.ids->next<event_id>().str();
        run_events::call_result unknown{call.id, event, std::string{outcome_unknown_text}};
        const result<> told = co_await say(std::move(unknown));
        if (!told) {
            co_return told;
        }
        fields.status = tool_call_status::failed;
        fields.error = std::string{outcome_unknown_text};
        const result<> appended = co_await append_shown_call(std::move(fields), event);
        if (!appended) {
            co_return appended;
        }
    }
    co_return result<>{};
}

awaitable<drive_end> session_driver::conclude(result<loop_end> answered) {
    drive_end end;
    end.run = begun_.run;
    const error_code failure = !answered                                 ? answered.error()
                               : answered->finish == loop_finish::failed ? answered->error
                                                                         : error_code{};
    if (stream_ == nullptr || is_fenced(failure)) {
        end.what = drive_end::kind::fenced;
        co_return end;
    }
    const bool is_stopped = failure == errc::cancelled;
    const bool waits_for_client = !failure && answered->finish == loop_finish::client_calls;
    if (!waits_for_client) {
        const result<> settled = co_await settle_open();
        if (!settled && is_fenced(settled.error())) {
            end.what = drive_end::kind::fenced;
            co_return end;
        }
    }
    if (is_stopped && stopping_ == stop_reason::handed_over) {
        const result<> flushed = co_await stream_->flushed();
        ops::requeue_turn back;
        back.turn = turn_.id;
        back.epoch = begun_.run.epoch;
        back.is_handed_over = true;
        const auto queued = co_await with_.kit->store().run(std::move(back));
        const bool is_done = flushed && queued;
        end.what = is_done ? drive_end::kind::handed_over : drive_end::kind::fenced;
        co_return end;
    }

    ops::end_run how;
    how.room = begun_.run.room;
    how.run = begun_.run.id;
    how.epoch = begun_.run.epoch;
    run_event last = run_events::finished{};
    const token_usage usage = answered ? answered->usage : token_usage{};
    if (is_stopped) {
        how.status = run_status::cancelled;
        how.finish_reason = "cancelled";
        last = run_events::finished{run_events::finished::outcome::cancelled, {}, {}, usage};
    } else if (failure) {
        how.status = run_status::failed;
        how.then = session_status::failed;
        how.finish_reason = "failed";
        how.error_code = code_of(failure);
        last = run_events::failed{failure.message(), how.error_code, usage};
    } else {
        how.finish_reason = word_of(answered->finish);
        run_events::finished finished;
        finished.usage = usage;
        if (waits_for_client) {
            how.then = session_status::waiting_for_input;
            for (const tool_call& call : answered->open_calls) {
                how.open_calls.push_back({told_id(call.id), call.name, call.arguments});
                finished.pending_calls.push_back(how.open_calls.back().id);
            }
        }
        last = std::move(finished);
    }
    const auto stored = co_await stream_->end(std::move(how), std::move(last));
    if (!stored) {
        end.what = drive_end::kind::fenced;
        co_return end;
    }
    end.run = *stored;
    co_return end;
}

// ---- saying and storing ----------------------------------------------------------------------------------

awaitable<result<>> session_driver::say(run_event event) {
    told_.take(event);
    const result<> said = co_await stream_->say(std::move(event));
    co_return said;
}

/// Once all of it was shown: so what a reader has put together is never less than what is stored.
awaitable<result<>> session_driver::append_text(
    std::string id, std::string text, std::string finish_reason
) {
    const result<> shown = co_await stream_->flushed();
    if (!shown) {
        co_return shown;
    }
    outgoing_event sent = own_event();
    sent.id = event_id{id};
    sent.content = content::text(text);
    sent.idempotency_key = "run:" + begun_.run.id.str() + ":" + id;
    if (!finish_reason.empty()) {
        sent.metadata = finish_metadata(finish_reason);
    }
    const result<> appended = co_await append(std::move(sent), own_append());
    if (appended) {
        stored_.push_back(std::move(id));
    }
    co_return appended;
}

/// The call's result, under the id that it was shown with.
awaitable<result<>> session_driver::append_shown_call(tool_call_fields call, std::string id) {
    const result<> shown = co_await stream_->flushed();
    if (!shown) {
        co_return shown;
    }
    outgoing_event sent = own_event();
    sent.id = event_id{id};
    sent.content = content::tool_call(call);
    sent.type = event_type::tool_call_end;
    sent.idempotency_key = "run:" + begun_.run.id.str() + ":" + id;
    const result<> appended = co_await append(std::move(sent), own_append());
    if (appended) {
        stored_.push_back(std::move(id));
    }
    co_return appended;
}

/// A client's result: under the id of its call, so that it is stored once.
awaitable<result<>> session_driver::append_call(tool_call_fields call, std::string key) {
    outgoing_event sent = own_event();
    sent.content = content::tool_call(call);
    sent.type = event_type::tool_call_end;
    sent.idempotency_key = "run:" + begun_.run.id.str() + ":" + key;
    const result<> appended = co_await append(std::move(sent), own_append());
    co_return appended;
}

awaitable<result<>> session_driver::append(outgoing_event sent, driver_append with) {
    for (int tried = 1;; ++tried) {
        outgoing_event again = sent;
        driver_append again_with = with;
        const auto stored = co_await with_.kit->append_for_session(
            std::move(again), std::move(again_with)
        );
        if (stored) {
            co_return result<>{};
        }
        if (!may_pass(stored.error()) || tried == append_tries) {
            co_return stored.error();
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return slept;
        }
    }
}

outgoing_event session_driver::own_event() const {
    outgoing_event sent;
    sent.organization = begun_.run.organization;
    sent.room = begun_.run.room;
    sent.channel = agent_.id;
    sent.addressed_to = std::vector<channel_id>{};
    sent.correlation_id = begun_.run.id.str();
    return sent;
}

driver_append session_driver::own_append() const {
    driver_append with;
    with.epoch = begun_.run.epoch;
    return with;
}

/// The id of the answer in the making.
const std::string& session_driver::message() {
    if (message_.empty()) {
        message_ = with_.ids->next<event_id>().str();
        call_ids_.clear();
    }
    return message_;
}

/// Models count from 1 in every answer; in a conversation each call has an id of its own.
std::string session_driver::told_id(const std::string& call) {
    std::string& known = call_ids_[call];
    if (known.empty()) {
        known = call + "-" + with_.ids->next<event_id>().str().substr(24);
    }
    return known;
}

}  // namespace convene
