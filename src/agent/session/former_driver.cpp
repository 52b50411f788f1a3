// SPDX-License-Identifier: Apache-2.0
// Former driver: what was shown is what is stored, whoever stores it.
#include "agent/session/former_driver.hpp"

#include <algorithm>
#include <utility>

#include "agent/session/interrupted_runs.hpp"
#include "agent/tool_outcome.hpp"
#include "base/text_boundary.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

tool_call_fields fields_of(const told_call& call) {
    tool_call_fields fields;
    fields.tool_name = call.tool;
    fields.tool_id = call.id;
    fields.arguments = clean_json(call.arguments).value;
    return fields;
}

}  // namespace

awaitable<result<>> former_driver::settle() {
    std::vector<std::string> shown;
    for (const told_message& message : scribe_.told().messages()) {
        shown.push_back(message.id);
    }
    for (const told_call& call : scribe_.told().calls()) {
        shown.push_back(call.result_id);
    }
    const result<> looked = co_await scribe_.find_stored(std::move(shown));
    if (!looked) {
        co_return looked;
    }
    const result<> settled = co_await settle_open();
    co_return settled;
}

awaitable<result<>> former_driver::settle_open() {
    const result<> kept = co_await settle_messages();
    if (!kept) {
        co_return kept;
    }
    const result<> paired = co_await settle_calls();
    co_return paired;
}

awaitable<result<>> former_driver::settle_messages() {
    const std::vector<told_message> messages = scribe_.told().messages();
    for (const told_message& message : messages) {
        const bool is_stored = scribe_.is_stored(message.id);
        run_events::text_end end{message.id};
        const result<> told = co_await scribe_.say(std::move(end));
        if (!told) {
            co_return told;
        }
        if (is_stored || message.text.empty()) {
            continue;
        }
        std::string finish = message.is_whole ? "" : "interrupted";
        const result<> kept = co_await scribe_.append_text(
            message.id, message.text, std::move(finish)
        );
        if (!kept) {
            co_return kept;
        }
    }
    co_return result<>{};
}

awaitable<result<>> former_driver::settle_calls() {
    const std::vector<told_call> calls = scribe_.told().calls();
    for (const told_call& call : calls) {
        if (scribe_.is_stored(call.result_id)) {
            continue;
        }
        result<> settled;
        if (call.result) {
            settled = co_await keep_shown(call);
        } else {
            settled = co_await close_cut_off(call);
        }
        if (!settled) {
            co_return settled;
        }
    }
    co_return result<>{};
}

/// Its result was shown, and the worker died before it was stored. Whether it was a good one is with the intent; a call
/// without one was refused.
awaitable<result<>> former_driver::keep_shown(told_call call) {
    ops::list_tool_calls look{run_.organization, run_.room};
    const auto intents = co_await with_.kit->store().run(std::move(look));
    if (!intents) {
        co_return intents.error();
    }
    const bool is_good = std::ranges::any_of(*intents, [&](const tool_intent& one) {
        return one.run == run_.id && one.call_id == call.id && one.state == tool_intent_state::done;
    });
    tool_call_fields fields = fields_of(call);
    set_result(
        &fields,
        is_good ? tool_call_status::completed : tool_call_status::failed,
        *std::move(call.result)
    );
    const result<> kept = co_await scribe_.append_shown_call(
        std::move(fields), std::move(call.result_id)
    );
    co_return kept;
}

/// Nobody knows what it did.
awaitable<result<>> former_driver::close_cut_off(told_call call) {
    ops::end_tool_call cut;
    cut.room = run_.room;
    cut.run = run_.id;
    cut.call_id = call.id;
    cut.epoch = run_.epoch;
    cut.state = tool_intent_state::unknown;
    const auto noted = co_await with_.kit->store().run(std::move(cut));
    // One that was not to be made yet, or is a client's, has no intent.
    if (!noted && noted.error() != errc::not_found) {
        co_return noted.error();
    }
    const std::string event = with_.ids->next<event_id>().str();
    run_events::call_result unknown{call.id, event, std::string{outcome_unknown_text}};
    const result<> told = co_await scribe_.say(std::move(unknown));
    if (!told) {
        co_return told;
    }
    tool_call_fields fields = fields_of(call);
    set_result(&fields, tool_call_status::failed, std::string{outcome_unknown_text});
    const result<> kept = co_await scribe_.append_shown_call(std::move(fields), event);
    co_return kept;
}

awaitable<result<>> former_driver::close_all_interrupted() {
    closed_session own;
    own.organization = run_.organization;
    own.room = run_.room;
    own.agent = scribe_.own_event().channel;
    own.epoch = run_.epoch;
    const event_append append = [this](outgoing_event sent, driver_append with) {
        return scribe_.append(std::move(sent), std::move(with));
    };
    const result<> closed = co_await close_interrupted_runs(
        &with_.kit->store(), with_.streams, std::move(own), append
    );
    co_return closed;
}

}  // namespace convene
