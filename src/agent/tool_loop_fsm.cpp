// SPDX-License-Identifier: Apache-2.0
// The rounds: the table of what follows an answer.
#include "agent/tool_loop_fsm.hpp"

#include <algorithm>
#include <utility>

namespace convene {

namespace {

planned_call refuse(const tool_call& call, std::string why) {
    return {planned_call::fate::refuse, call, nullptr, std::move(why)};
}

loop_finish finish_of(finish_reason reason) noexcept {
    switch (reason) {
        case finish_reason::length:
            return loop_finish::length;
        case finish_reason::refused:
            return loop_finish::refused;
        case finish_reason::stop:
        case finish_reason::tool_calls:
            return loop_finish::stop;
    }
    return loop_finish::stop;
}

}  // namespace

std::string_view word_of(loop_finish finish) noexcept {
    switch (finish) {
        using enum loop_finish;
        case stop:
            return "stop";
        case length:
            return "length";
        case refused:
            return "refused";
        case client_calls:
            return "client_calls";
        case tool_limit:
            return "tool_limit";
        case failed:
            return "failed";
    }
    return {};
}

loop_decision tool_loop_fsm::on_answer(const model_answer& answer) {
    ++rounds_;
    const std::vector<tool_call>& wanted = answer.message.calls;
    loop_decision decided;
    decided.finish = finish_of(answer.finish);
    if (wanted.empty()) {
        return decided;
    }
    if (decided.finish != loop_finish::stop) {
        for (const tool_call& call : wanted) {
            decided.calls.push_back(refuse(call, "Not called: the answer was cut off."));
        }
        return decided;
    }
    if (rounds_ >= limits_.rounds) {
        decided.finish = loop_finish::tool_limit;
        for (const tool_call& call : wanted) {
            decided.calls.push_back(refuse(call, "Not called: no more rounds of calls are allowed.")
            );
        }
        return decided;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        decided.calls.push_back(plan(wanted[i], i));
    }
    const bool waits_for_client = std::ranges::any_of(decided.calls, [](const planned_call& one) {
        return one.what == planned_call::fate::client;
    });
    if (waits_for_client) {
        decided.finish = loop_finish::client_calls;
    } else {
        decided.goes_on = true;
    }
    return decided;
}

planned_call tool_loop_fsm::plan(const tool_call& call, std::size_t place) const {
    if (place >= limits_.calls_per_round) {
        return refuse(call, "Not called: too many calls at once.");
    }
    if (client_tools_.contains(call.name)) {
        const auto fault = check_client_call_ ? check_client_call_(call) : std::nullopt;
        return fault ? refuse(call, *fault) : planned_call{planned_call::fate::client, call};
    }
    std::shared_ptr<tool> made = tools_.find(call.name);
    if (made == nullptr) {
        return refuse(call, "There is no tool of this name.");
    }
    if (const auto misfit = tools_.find_misfit(call.name, call.arguments)) {
        return refuse(call, "The arguments do not fit the tool's schema: " + *misfit);
    }
    return {planned_call::fate::call, call, std::move(made)};
}

}  // namespace convene
