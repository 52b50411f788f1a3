// SPDX-License-Identifier: Apache-2.0
// Session driver: the stream is opened, what a former driver left is settled, the order is appended, the loop runs, and
// the run ends once.
#include "agent/session/session_driver.hpp"

#include <algorithm>
#include <utility>

#include "agent/room_tools.hpp"
#include "agent/session/client_state.hpp"
#include "agent/session/former_driver.hpp"
#include "agent/session/wake_tool.hpp"
#include "base/log.hpp"
#include "base/mutant.hpp"
#include "room/permissions.hpp"
#include "store/operations/timeline.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t history_events = 200;

constexpr std::string_view not_answered_text = "Nobody answered this call.";

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

std::set<std::string, std::less<>> names_of_tools(const session_agent& agent) {
    std::set<std::string, std::less<>> names;
    for (const tool_definition& one : agent.tools.definitions()) {
        names.insert(one.name);
    }
    for (const room_tool one : agent.room_tools) {
        names.emplace(word_of(one));
    }
    return names;
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
      order_(std::move(order)),
      asking_(names_of_tools(agent_), order_.said.tools),
      permission_(with_, begun_.run.organization, agent_.id, agent_.needs_approval),
      scribe_(with_, agent_.id, agent_.room_tools, begun_.run) {}

awaitable<drive_end> session_driver::drive() {
    // Also for a run that is cancelled at once: what others left is settled, and what was taken on is stored.
    const result<> opened = co_await shielded(open_stream());
    if (!opened && may_pass(opened.error())) {
        drive_end given_back;
        given_back.what = drive_end::kind::fenced;
        given_back.run = begun_.run;
        co_return given_back;
    }
    result<loop_end> answered = errc::unavailable;
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
    scribe_.open(std::move(before));
    // First what others left: of them nothing is written any more once this run has begun to speak.
    former_driver former{with_, begun_.run, &scribe_};
    if (begun_.is_takeover || begun_.interrupted) {
        const result<> closed = co_await former.close_all_interrupted();
        if (!closed) {
            co_return closed;
        }
    }
    if (begun_.is_takeover) {
        const result<> settled = co_await former.settle();
        if (!settled) {
            co_return settled;
        }
    }
    run_events::started started{begun_.run.room.str(), order_.said.run};
    const result<> said = co_await scribe_.say(std::move(started));
    if (!said) {
        co_return said;
    }
    if (json_text state = merged_state(begun_.state); state != json_text{} && !begun_.is_takeover) {
        run_events::state_snapshot snapshot{std::move(state)};
        const result<> shown = co_await scribe_.say(std::move(snapshot));
        if (!shown) {
            co_return shown;
        }
    }
    const result<> appended = co_await append_order();
    co_return appended;
}

awaitable<result<>> session_driver::append_order() {
    // The results come before what is said: whoever takes over a run that has said it knows that they are there. A turn that
    // was given back begins another run, before which others may have left calls of their own.
    if (turn_.is_input_consumed && begun_.is_takeover) {
        has_told_results_ = true;
        co_return result<>{};
    }
    // Each call that was open gets its one result: the one that came, or none.
    for (const open_call& call : begun_.session.open_calls) {
        decision_result answered = result_for(call);
        const result<> appended = co_await append_result(
            call, answered.status, std::move(answered.text)
        );
        if (!appended) {
            co_return appended;
        }
    }
    has_told_results_ = true;
    if (turn_.is_input_consumed) {
        co_return result<>{};
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
        driver_append with = scribe_.own_append();
        if (i + 1 == messages.size()) {
            with.turn = turn_.id.str();
        }
        if (i == 0 && order_.said.state) {
            with.session_state = session_part_of(*order_.said.state);
        }
        const result<> appended = co_await scribe_.append(std::move(sent), std::move(with));
        if (!appended) {
            co_return appended;
        }
    }
    co_return result<>{};
}

/// What people decided, or the client says.
decision_result session_driver::result_for(const open_call& call) const {
    const auto asked = std::ranges::find(begun_.asked, call.id, &approval::call_id);
    if (asked != begun_.asked.end()) {
        return result_of(*asked);
    }
    const auto given = std::ranges::find(order_.said.results, call.id, &client_tool_result::call);
    if (given == order_.said.results.end()) {
        return {tool_call_status::failed, std::string{not_answered_text}};
    }
    return {given->is_error ? tool_call_status::failed : tool_call_status::completed, given->text};
}

awaitable<result<>> session_driver::append_result(
    open_call call, tool_call_status how, std::string text
) {
    tool_call_fields fields;
    fields.tool_name = std::move(call.name);
    fields.tool_id = call.id;
    fields.arguments = std::move(call.arguments);
    set_result(&fields, how, std::move(text));
    outgoing_event sent = scribe_.own_event();
    sent.content = content::tool_call(fields);
    sent.type = event_type::tool_call_end;
    // Stored once, whatever becomes of the run that stores it.
    sent.idempotency_key = "call:" + call.id;
    driver_append with = scribe_.own_append();
    const result<> appended = co_await scribe_.append(std::move(sent), std::move(with));
    if (!appended && appended.error() == errc::idempotency_key_reused) {
        co_return result<>{};  // a run that was set aside has said something else: that stands
    }
    co_return appended;
}

// ---- the answer ------------------------------------------------------------------------------------------

awaitable<result<loop_end>> session_driver::answer() {
    auto prepared = co_await prepare();
    if (!prepared) {
        co_return prepared.error();
    }
    loop_end end = co_await run_tool_loop(agent_.model.get(), *std::move(prepared), this);
    if (end.finish == loop_finish::failed && end.error != errc::cancelled) {
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
    chat_window window = make_chat_window(source, agent_.window);
    asked.question.messages = std::move(window.messages);
    asked.tools = agent_.tools;
    // They count what one answer leaves; it is stored with each call.
    const auto notes = std::make_shared<answer_notes>();
    wake_place place;
    place.kit = with_.kit;
    place.organization = begun_.run.organization;
    place.room = begun_.run.room;
    place.epoch = begun_.run.epoch;
    place.acting_for = begun_.run.started_by;
    place.wakes_in_a_row = order_.wakes_in_a_row;
    room_tool_parts parts{with_.kit, notes, window.first, agent_.room_tool_guard};
    parts.wake = make_wake_tool(std::move(place));
    add_room_tools(&asked.tools, agent_.room_tools, parts);
    asked.client_tools = asking_.definitions();
    asked.check_client_call = [this](const tool_call& call) { return asking_.find_fault(call); };
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
        // First: with a new answer the ids of its calls begin anew.
        const std::string of = message();
        event = run_events::call_start{told_id(start->id), std::move(start->name), of};
    } else if (auto* arguments = std::get_if<call_arguments>(&made)) {
        event = run_events::call_arguments{told_id(arguments->id), std::move(arguments->text)};
    } else if (auto* end = std::get_if<call_end>(&made)) {
        event = run_events::call_end{told_id(end->id)};
    }
    const result<> told = co_await scribe_.say(std::move(event));
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
    const result<> told = co_await scribe_.say(std::move(end));
    if (!told) {
        co_return told;
    }
    const bool is_cut = answer.finish != finish_reason::stop &&
                        answer.finish != finish_reason::tool_calls;
    std::string finish = is_cut ? std::string{word_of(answer.finish)} : std::string{};
    const result<> appended = co_await scribe_.append_text(
        id, std::move(answer.message.text), std::move(finish)
    );
    co_return appended;
}

awaitable<result<session_driver::refusal>> session_driver::intend(
    tool_call call, std::string /*call_key*/
) {
    // Whoever takes over knows of it by what was shown.
    const result<> shown = co_await scribe_.stream()->flushed();
    if (!shown) {
        co_return shown.error();
    }
    tool_intent intent;
    intent.room = begun_.run.room;
    intent.run = begun_.run.id;
    intent.call_id = told_id(call.id);
    intent.tool = std::move(call.name);
    intent.epoch = begun_.run.epoch;
    if (CONVENE_MUTANT("call_without_intent")) {
        co_return refusal{};
    }
    auto permitted = co_await permission_.begin(std::move(intent), std::move(call.arguments));
    co_return permitted;
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
    const result<> shown = co_await scribe_.say(std::move(told));
    if (!shown) {
        co_return shown;
    }
    tool_call_fields fields;
    fields.tool_name = std::move(call.name);
    fields.tool_id = id;
    fields.arguments = std::move(call.arguments);
    fields.duration_ms = outcome.took.count();
    set_result(
        &fields,
        is_good ? tool_call_status::completed : tool_call_status::failed,
        std::move(outcome.text)
    );
    const result<> appended = co_await scribe_.append_shown_call(std::move(fields), event);
    co_return appended;
}

// ---- the end ---------------------------------------------------------------------------------------------

awaitable<drive_end> session_driver::conclude(result<loop_end> answered) {
    drive_end end;
    end.run = begun_.run;
    const error_code failure = !answered                                 ? answered.error()
                               : answered->finish == loop_finish::failed ? answered->error
                                                                         : error_code{};
    if (scribe_.stream() == nullptr || is_fenced(failure)) {
        end.what = drive_end::kind::fenced;
        co_return end;
    }
    const bool is_stopped = failure == errc::cancelled;
    const bool waits_for_client = !failure && answered->finish == loop_finish::client_calls;
    if (!waits_for_client) {
        former_driver own{with_, begun_.run, &scribe_};
        const result<> settled = co_await own.settle_open();
        // What was shown has to be stored: whoever has the turn next does it.
        if (!settled && (is_fenced(settled.error()) || may_pass(settled.error()))) {
            end.what = drive_end::kind::fenced;
            co_return end;
        }
    }
    if (is_stopped && stopping_ == stop_reason::handed_over) {
        const result<> flushed = co_await scribe_.stream()->flushed();
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
        leave_open(answered->open_calls, &how, &finished);
        last = std::move(finished);
    }
    if (!has_told_results_) {
        how.open_calls = begun_.session.open_calls;
    }
    const auto stored = co_await scribe_.stream()->end(std::move(how), std::move(last));
    if (!stored) {
        end.what = drive_end::kind::fenced;
        co_return end;
    }
    end.run = *stored;
    co_return end;
}

void session_driver::leave_open(
    const std::vector<tool_call>& calls, ops::end_run* how, run_events::finished* last
) {
    for (const tool_call& call : calls) {
        const std::string id = told_id(call.id);
        how->open_calls.push_back({id, call.name, call.arguments});
        if (!asking_.has(call.name)) {
            last->pending_calls.push_back(id);
            continue;
        }
        ops::end_run::question asks = question_of(call, agent_.approvers);
        asks.asked.id = with_.ids->next<approval_id>();
        asks.asked.call_id = id;
        last->interrupts.push_back(interrupt_of(asks.asked, with_.clock->now() + asks.valid_for));
        how->questions.push_back(std::move(asks));
    }
    if (!how->open_calls.empty()) {
        how->then = session_status::waiting_for_input;
    }
    if (how->questions.empty()) {
        return;
    }
    last->how = run_events::finished::outcome::interrupted;
    how->finish_reason = "interrupt";
    const bool is_approval = std::ranges::any_of(how->questions, [](const auto& one) {
        return one.asked.kind == approval_kind::approval;
    });
    if (is_approval) {
        how->then = session_status::waiting_for_approval;
    }
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
