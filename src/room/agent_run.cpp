// SPDX-License-Identifier: Apache-2.0
// Agent run: history, question, answer, and the commits that keep the answer to exactly one.
#include "room/agent_run.hpp"

#include <algorithm>
#include <exception>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "base/text_boundary.hpp"
#include "room/call_chain.hpp"
#include "room/permissions.hpp"
#include "room/persist.hpp"
#include "room/plan.hpp"
#include "room/writer.hpp"

namespace convene {

namespace {

/// A reply that meets a passing failure is sent again, a few times.
constexpr int commit_tries = 3;
constexpr std::chrono::milliseconds between_tries{200};

delivery_outcome failure(std::string code, std::string message) {
    delivery_outcome outcome;
    outcome.error_code = std::move(code);
    outcome.error_message = std::move(message);
    return outcome;
}

/// What an agent stores that says nothing but leaves tasks or observations: shown to nobody.
content silent_notes() { return content::system("The agent left notes.", "agent_notes"); }

/// R16: what was repaired in an agent's text stays on record with the event.
json_text metadata_of(const repair_record& repairs) {
    json_writer out;
    out.begin_object();
    out.key("repairs").json(describe_repairs(repairs));
    out.end_object();
    return out.take();
}

/// Somebody else answers, or nobody may: what was made is dropped without a trace.
bool ends_the_answer(error_code why) {
    return why == errc::claim_lost || why == errc::room_closed || why == errc::event_deleted ||
           why == errc::idempotency_key_reused || why == errc::not_found;
}

}  // namespace

agent_run::agent_run(
    engine_core* core, room_writer* writer, const lane_entry& entry, delivery_row row
)
    : core_(*core),
      writer_(*writer),
      trigger_(entry.event),
      context_(entry.context),
      row_(std::move(row)),
      sharers_(count_budget_sharers(entry.rows, core->hooks, core->channels)),
      is_from_store_(entry.is_from_store),
      follows_crash_(entry.follows_crash),
      chain_(entry.chain),
      unit_(entry.unit.owner()) {}

awaitable<void> agent_run::run() {
    co_await make_answer();
    const coroutine_context context = co_await this_context();
    const bool is_cut_off = context.cancel != nullptr && context.cancel->is_requested();
    if (!result_ && !is_cut_off) {
        // Whatever ended it, the row must not stay open: its set would run for ever.
        end_with(delivery_state::failed, failure("agent_failed", "the answer could not be made"));
    }
    if (!result_ && unit_.owner()) {
        unit_.owner()->hand_over(trigger_);
    }
    if (result_ && (set_is_over_ || segments_ > 0)) {
        co_await store_end();
    }
    settled_.set();
    ended_.set();
    unit_ = cascade::unit{};
}

awaitable<void> agent_run::make_answer() {
    const binding* own = context_->find_binding(row_.channel);
    const auto agent = std::dynamic_pointer_cast<agent_channel>(core_.channels.find(row_.channel));
    if (own == nullptr || agent == nullptr) {
        end_with(
            delivery_state::failed,
            failure("channel_not_registered", "no such agent in this process")
        );
        co_return;
    }
    if (is_from_store_) {
        // Somebody may have answered in part before the row came to us.
        const result<bool> goes_on = co_await recover();
        if (!goes_on || !*goes_on) {
            co_return;
        }
    }

    agent_request request;
    request.id = row_.id;
    request.organization = context_->room.organization;
    request.trigger = trigger_;
    request.binding = *own;
    request.participants = context_->participants;
    request.is_regeneration = generation_ > 0;
    auto history = co_await load_history(*own);
    if (!history) {
        if (history.error() != errc::cancelled) {
            end_with(delivery_state::failed, failure("history_unavailable", {}));
        }
        co_return;
    }
    request.history = std::move(*history);
    if (request.is_regeneration) {
        auto calls = co_await load_made_calls();
        if (!calls) {
            if (calls.error() != errc::cancelled) {
                end_with(delivery_state::failed, failure("history_unavailable", {}));
            }
            co_return;
        }
        request.made_calls = std::move(*calls);
    }

    const call_chain inside{nullptr, trigger_.room, chain_};
    const deadline until{core_.where.now() + agent->answer_deadline()};
    auto asking = run_inside(&inside, ask(agent.get(), std::move(request)));
    auto answered = co_await with_deadline(until, std::move(asking));
    if (!answered && answered.error() == errc::cancelled) {
        co_return;
    }
    if (answered) {
        co_await conclude(std::move(*answered));
    } else {
        agent_answer none;
        none.finish_reason = "failed";
        none.outcome = failure(
            answered.error() == errc::timed_out ? "agent_timeout" : "agent_failed", {}
        );
        co_await conclude(std::move(none));
    }
}

/// Asks the agent. What it throws is its failure, told by the text in the log only.
awaitable<result<agent_answer>> agent_run::ask(agent_channel* agent, agent_request request) {
    std::string text;
    try {
        agent_answer answer = co_await agent->answer(std::move(request), this);
        const coroutine_context context = co_await this_context();
        if (context.cancel != nullptr && context.cancel->is_requested()) {
            co_return context.cancel->reason();
        }
        co_return answer;
    } catch (const std::exception& thrown) {
        text = thrown.what();
    }
    log(log_level::error, "agent.failed", {{"channel", row_.channel.str()}, {"error", text}});
    co_return errc::hook_failed;
}

awaitable<result<std::vector<room_event>>> agent_run::load_history(binding reader) {
    ops::list_events request;
    request.organization = context_->room.organization;
    request.room = trigger_.room;
    request.before = trigger_.index.next();
    request.limit = core_.settings.history_window;
    auto events = co_await persist(&core_.store, std::move(request));
    if (!events) {
        co_return events.error();
    }
    co_return visible_history(*context_, reader, std::move(*events));
}

/// The tool calls of the answer that was cut off: what they did is done, and the next answer should know.
awaitable<result<std::vector<room_event>>> agent_run::load_made_calls() {
    ops::list_events request;
    request.organization = context_->room.organization;
    request.room = trigger_.room;
    request.after = trigger_.index;
    request.limit = core_.settings.history_window;
    request.filter.channel = row_.channel;
    request.filter.types = {event_type::tool_call_start, event_type::tool_call_end};
    request.filter.status = event_status::accepted;
    auto events = co_await persist(&core_.store, std::move(request));
    if (!events) {
        co_return events.error();
    }
    std::erase_if(*events, [this](const room_event& event) {
        return event.caused_by != trigger_.id;
    });
    co_return std::move(*events);
}

// ---- recovery --------------------------------------------------------------------------------------------

/// Looks at what the dead worker stored of this answer. False: the row has ended.
awaitable<result<bool>> agent_run::recover() {
    ops::load_room_head request;
    request.organization = context_->room.organization;
    request.room = trigger_.room;
    request.keys = recovery_keys(row_.id);
    const auto stored = co_await persist(&core_.store, std::move(request));
    if (!stored) {
        co_return stored.error();
    }

    const recovery_decision decided = decide_recovery(row_.id, stored->hits, core_.settings.agents);
    if (decided.close) {
        generation_ = *decided.close;
        const result<> closed = co_await close_answer("interrupted");
        if (!closed) {
            co_return closed.error();
        }
    }
    switch (decided.then) {
        case recovery_decision::row_fate::answer:
            generation_ = decided.generation;
            co_return true;
        case recovery_decision::row_fate::fail:
            end_with(
                delivery_state::failed, failure("interrupted", "the worker died while it answered")
            );
            co_return false;
        case recovery_decision::row_fate::finish:
            end_with(delivery_state::done, {});
            co_return false;
    }
    co_return false;
}

/// Marks the segments of this generation as all there will be.
awaitable<result<>> agent_run::close_answer(std::string finish_reason) {
    json_writer about;
    about.begin_object();
    about.key("finish_reason").string(finish_reason);
    about.key("delivery_id").string(row_.id.str());
    about.end_object();
    content said = content::system("The answer was cut off.", "answer_interrupted", about.take());
    proposal closing = make_reply(std::move(said), reply_end_key(row_.id, generation_));
    closing.event.type = event_type::system;
    const result<> closed = co_await commit_reply(std::move(closing));
    co_return closed;
}

// ---- answers ---------------------------------------------------------------------------------------------

awaitable<result<>> agent_run::segment(content piece) {
    if (result_) {
        co_return errc::claim_lost;
    }
    proposal reply = make_reply(std::move(piece), reply_key(row_.id, generation_, segments_));
    const auto agent = std::dynamic_pointer_cast<agent_channel>(core_.channels.find(row_.channel));
    if (agent != nullptr) {
        reply.shown_on = agent->streams_to();
    }
    const result<> stored = co_await commit_reply(std::move(reply));
    if (!stored) {
        co_return stored.error();
    }

    // From the first segment on the set no longer waits for the rest of the answer.
    ++segments_;
    settled_.set();
    co_return result<>{};
}

awaitable<result<>> agent_run::record(content call, visibility shown_to) {
    if (result_) {
        co_return errc::claim_lost;
    }
    const bool is_pending = call.tool_status() == tool_call_status::pending;
    proposal noted = make_reply(std::move(call), reply_call_key(row_.id, generation_, records_));
    noted.event.type = is_pending ? event_type::tool_call_start : event_type::tool_call_end;
    // A call says what the answer is about: who may not see the one does not see the other.
    const visibility answered = trigger_.response_visibility.value_or(visibility{});
    const bool is_for_all = answered.kind() == visibility::scope::all;
    noted.event.visibility = is_for_all ? std::move(shown_to)
                                        : visibility{visibility::scope::internal};
    const result<> stored = co_await commit_reply(std::move(noted));
    if (!stored) {
        co_return stored.error();
    }
    ++records_;
    co_return result<>{};
}

awaitable<void> agent_run::conclude(agent_answer answer) {
    if (segments_ > 0) {
        // The segments are the answer: stored again as a whole, it would ask other agents twice.
        answer.whole.reset();
    }
    const bool has_failed = !answer.outcome.error_code.empty();
    const bool leaves_notes = !answer.tasks.empty() || !answer.observations.empty();
    if ((answer.whole || leaves_notes) && !result_) {
        proposal reply = make_reply(
            answer.whole.value_or(silent_notes()), reply_whole_key(row_.id, generation_)
        );
        if (!answer.whole) {
            reply.event.type = event_type::observation;
            reply.event.visibility = visibility{visibility::scope::none};
        }
        reply.tasks = std::move(answer.tasks);
        reply.observations = std::move(answer.observations);
        complete_notes(&core_.ids, &reply);
        reply.row_end = ops::commit::row_end{row_.id, delivery_state::done, row_.attempts + 1};
        const result<> stored = co_await commit_reply(std::move(reply));
        if (stored) {
            end_with(delivery_state::done, {});
        }
        co_return;
    }
    if (has_failed && segments_ > 0 && !result_) {
        const result<> closed = co_await close_answer(answer.finish_reason);
        if (!closed) {
            co_return;
        }
    }
    if (!result_) {
        end_with(
            has_failed ? delivery_state::failed : delivery_state::done, std::move(answer.outcome)
        );
    }
}

/// Commits a reply under the guard of its row. A failure that no later try mends ends the row.
awaitable<result<>> agent_run::commit_reply(proposal reply) {
    for (int tried = 1;; ++tried) {
        proposal sent = reply;
        const deadline until{core_.where.now() + core_.settings.process_timeout};
        auto committed = co_await writer_.submit(std::move(sent), unit_.owner(), until);
        if (committed) {
            co_return result<>{};
        }
        const error_code why = committed.error();
        if (why == errc::cancelled) {
            co_return why;
        }
        if (ends_the_answer(why) || tried == commit_tries) {
            const auto code = static_cast<errc>(why.value());
            end_with(
                delivery_state::failed,
                failure(std::string{name_of(code)}, "the answer could not be stored")
            );
            co_return why;
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return slept.error();
        }
    }
}

proposal agent_run::make_reply(content said, std::string key) const {
    proposal reply;
    reply.from = origin::reply;
    reply.guard = ops::commit::row_guard{row_.id, core_.me};
    reply.chain = chain_;
    reply.follows_crash = follows_crash_;

    room_event& event = reply.event;
    event.id = core_.ids.next<event_id>();
    event.room = trigger_.room;
    if (!said.repairs().empty()) {
        event.metadata = metadata_of(said.repairs());
    }
    event.content = std::move(said);
    event.source.channel = row_.channel;
    if (const binding* own = context_->find_binding(row_.channel)) {
        event.source.channel_type = own->channel_type;
        event.source.participant = own->participant;
    }
    event.visibility = trigger_.response_visibility.value_or(visibility{});
    event.response_visibility = trigger_.response_visibility;
    event.chain_depth = trigger_.chain_depth + 1;
    event.caused_by = trigger_.id;
    event.parent = trigger_.parent;
    event.correlation_id = trigger_.correlation_id;
    event.idempotency_key = std::move(key);
    event.plan.cascade = trigger_.plan.cascade;
    event.plan.budget = split_budget(trigger_.plan.budget, sharers_);
    event.plan.trace_parent = trigger_.plan.trace_parent;
    return reply;
}

// ---- the row's end ---------------------------------------------------------------------------------------

void agent_run::end_with(delivery_state state, delivery_outcome outcome) {
    ops::row_result what;
    what.id = row_.id;
    what.state = state;
    what.attempts = row_.attempts + 1;
    what.outcome = std::move(outcome);
    result_ = std::move(what);
}

ops::row_result agent_run::current_result() const {
    if (result_) {
        return *result_;
    }
    ops::row_result streaming;
    streaming.id = row_.id;
    streaming.state = delivery_state::streaming;
    streaming.attempts = row_.attempts + 1;
    return streaming;
}

awaitable<void> agent_run::store_end() {
    ops::put_results request;
    request.room = trigger_.room;
    request.executor = core_.me;
    request.results.push_back(*result_);
    const auto stored = co_await persist(&core_.store, std::move(request));
    if (stored) {
        co_return;
    }
    if (unit_.owner()) {
        unit_.owner()->hand_over(trigger_);
    }
    log(log_level::warn, "agent.end_not_stored", {{"error", stored.error().message()}});
}

}  // namespace convene
