// SPDX-License-Identifier: Apache-2.0
// What the simulated channels and hooks do with what they are given.
#include "sim/support/doubles.hpp"

#include "convene/wait.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto attempt_limit = 400ms;
constexpr auto answer_limit = 5s;
constexpr auto for_ever = 1h;

bool says(const room_event& event, std::string_view word) {
    const auto body = event.content.body();
    return body && body->starts_with(word);
}

// -- transports ----------------------------------------------------------------------------------------

class sim_transport final : public transport_channel {
   public:
    sim_transport(const double_context* context, transport_traits traits)
        : context_(*context), traits_(std::move(traits)) {}

    [[nodiscard]] channel_id id() const override { return traits_.id; }

    [[nodiscard]] std::string type() const override { return "sim"; }

    [[nodiscard]] bool is_bound_to_process() const override { return traits_.is_bound; }

    [[nodiscard]] std::chrono::milliseconds attempt_deadline() const override {
        return attempt_limit;
    }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override {
        sim_random& random = *context_.random;
        context_.auditor->attempt_begins(context_.worker, request);
        if (says(request.event, "poison")) {
            context_.die();
        }
        const bool hangs = random.happens(traits_.hangs);
        const auto span = hangs ? for_ever : random.skewed(0ms, traits_.slowest);
        const result<> slept = co_await sleep_for(span);
        const send_result answer = slept ? draw_answer() : cut_off();
        context_.auditor->attempt_ends(request, answer.what);
        co_return answer;
    }

   private:
    [[nodiscard]] send_result draw_answer() const {
        sim_random& random = *context_.random;
        if (random.happens(traits_.fails_for_good)) {
            return send_result::failed_for_good("refused", "The receiver refuses it.");
        }
        if (random.happens(traits_.fails_for_now)) {
            return send_result::failed_for_now("busy", "The receiver is busy.");
        }
        return send_result::sent();
    }

    [[nodiscard]] static send_result cut_off() {
        return send_result::failed_for_now("cut_off", "The attempt was cut off.");
    }

    const double_context& context_;
    const transport_traits traits_;
};

// -- agents --------------------------------------------------------------------------------------------

class sim_agent final : public agent_channel {
   public:
    sim_agent(const double_context* context, agent_traits traits)
        : context_(*context), traits_(std::move(traits)) {}

    [[nodiscard]] channel_id id() const override { return traits_.id; }

    [[nodiscard]] std::string type() const override { return "sim_agent"; }

    [[nodiscard]] channel_id streams_to() const override { return traits_.streams_to; }

    [[nodiscard]] std::chrono::milliseconds answer_deadline() const override {
        return answer_limit;
    }

    [[nodiscard]] awaitable<agent_answer> answer(agent_request request, answer_sink* sink)
        override {
        sim_random& random = *context_.random;
        context_.auditor->answer_begins(context_.worker, request);
        const content words = content::text(
            fmt::format("answer {} of {}", ++context_.answers, context_.worker.str())
        );
        const int segments = random.happens(traits_.streams) ? random.between(1, 3) : 0;
        const bool breaks_off = random.happens(traits_.breaks_off);
        const bool hangs = random.happens(traits_.hangs);

        for (int i = 0; i < segments; ++i) {
            const result<> thought = co_await sleep_for(random.skewed(0ms, traits_.slowest));
            if (!thought) {
                co_return cut_off("cancelled");
            }
            content piece = words;
            const result<> said = co_await sink->segment(std::move(piece));
            if (!said) {
                co_return cut_off("refused");
            }
        }
        const auto span = hangs ? for_ever : random.skewed(0ms, traits_.slowest);
        const result<> thought = co_await sleep_for(span);
        if (!thought || breaks_off) {
            co_return cut_off(breaks_off ? "broke_off" : "cancelled");
        }
        co_return finished(segments, words);
    }

   private:
    static agent_answer cut_off(std::string_view why) {
        agent_answer answer;
        answer.finish_reason = "failed";
        answer.outcome.error_code = why;
        return answer;
    }

    agent_answer finished(int segments, const content& words) const {
        agent_answer answer;
        if (segments == 0) {
            answer.whole = words;
        }
        if (context_.random->happens(per_mille{100})) {
            room_task task;
            task.title = "Look into it";
            answer.tasks.push_back(std::move(task));
        }
        return answer;
    }

    const double_context& context_;
    const agent_traits traits_;
};

// -- hooks ---------------------------------------------------------------------------------------------

injected_event injected() {
    injected_event more;
    more.content = say(sim_word::plain, 0);
    more.targets.push_back(channel_id{"transport-0"});
    return more;
}

/// A further event of the room, said by the system itself.
outgoing_event follow_up(const hook_input& input, std::string_view prefix) {
    outgoing_event sent;
    sent.organization = input.context.room.organization;
    sent.room = input.event.room;
    sent.content = say(sim_word::plain, 0);
    sent.idempotency_key = std::string{prefix} + input.event.id.str();
    return sent;
}

awaitable<hook_verdict> decide(const double_context* context, hook_input input) {
    const bool is_slow = says(input.event, "slow");
    const auto span = is_slow ? for_ever : context->random->skewed(0ms, 5ms);
    const result<> slept = co_await sleep_for(span);
    if (!slept) {
        co_return hook_verdict::allow();  // too late to count
    }
    hook_verdict verdict;
    if (says(input.event, "block")) {
        verdict = hook_verdict::block("unwanted");
    }
    if (says(input.event, "modify")) {
        verdict = hook_verdict::modify(say(sim_word::plain, 1));
    }
    if (says(input.event, "inject")) {
        verdict.injected.push_back(injected());
    }
    if (says(input.event, "nested")) {
        outgoing_event sent = follow_up(input, "nested:");
        const auto receipt = co_await context->kit->send_event(
            std::move(sent), wait_for::committed
        );
        static_cast<void>(receipt);  // what became of it is the auditor's to see
    }
    co_return verdict;
}

awaitable<hook_verdict> look_back(const double_context* context, hook_input input) {
    const result<> slept = co_await sleep_for(context->random->skewed(0ms, 20ms));
    if (!slept) {
        co_return hook_verdict::allow();
    }
    if (context->random->happens(per_mille{50})) {
        throw std::runtime_error("the hook does not like it");
    }
    if (says(input.event, "deadly")) {
        context->die();
    }
    if (says(input.event, "echo")) {
        outgoing_event sent = follow_up(input, "echo:");
        const auto receipt = co_await context->kit->send_event(
            std::move(sent), wait_for::delivered
        );
        static_cast<void>(receipt);  // what became of it is the auditor's to see
    }
    context->auditor->after_hook_ran(input.event.id);
    co_return hook_verdict::allow();
}

awaitable<result<>> take_notice(
    const double_context* context, std::string subscriber, framework_event notice
) {
    const result<> slept = co_await sleep_for(context->random->skewed(0ms, 20ms));
    const bool is_taken = slept && !context->random->happens(per_mille{50});
    context->auditor->notice_given(subscriber, notice, is_taken);
    if (!is_taken) {
        co_return errc::unavailable;
    }
    co_return result<>{};
}

// -- remote hooks --------------------------------------------------------------------------------------

class sim_hook_caller final : public remote_hook_caller {
   public:
    sim_hook_caller(const double_context* context, const remote_hook_traits* traits)
        : context_(*context), traits_(*traits) {}

    [[nodiscard]] awaitable<result<hook_verdict>> call(remote_hook_call asked, deadline) override {
        sim_random& random = *context_.random;
        const bool hangs = random.happens(traits_.hangs);
        const auto span = hangs ? for_ever : random.skewed(0ms, traits_.slowest);
        const result<> slept = co_await sleep_for(span);
        if (!slept) {
            co_return slept.error();
        }
        if (random.happens(traits_.fails)) {
            co_return errc::unavailable;
        }
        const room_event& event = asked.input.event;
        if (asked.hook->mode == hook_mode::after_delivery) {
            context_.auditor->after_hook_ran(event.id);
            co_return hook_verdict::allow();
        }
        if (says(event, "back")) {
            outgoing_event sent = follow_up(asked.input, "back:");
            sent.cause = asked.cause;
            const auto staged = co_await context_.kit->send_event(
                std::move(sent), wait_for::delivered
            );
            static_cast<void>(staged);  // what became of it is the auditor's to see
        }
        hook_verdict verdict;
        if (says(event, "forbid")) {
            verdict = hook_verdict::block("forbidden");
        }
        if (says(event, "inject")) {
            verdict.injected.push_back(injected());
        }
        co_return verdict;
    }

   private:
    const double_context& context_;
    const remote_hook_traits& traits_;
};

}  // namespace

std::unique_ptr<remote_hook_caller> make_sim_hook_caller(
    const double_context* context, const remote_hook_traits* traits
) {
    return std::make_unique<sim_hook_caller>(context, traits);
}

std::shared_ptr<channel> make_sim_transport(
    const double_context* context, transport_traits traits
) {
    return std::make_shared<sim_transport>(context, std::move(traits));
}

std::shared_ptr<channel> make_sim_agent(const double_context* context, agent_traits traits) {
    return std::make_shared<sim_agent>(context, std::move(traits));
}

std::vector<hook_definition> make_sim_hooks(const double_context* context) {
    hook_definition before;
    before.id = hook_id{"decide"};
    before.deadline = 50ms;
    before.run = coroutine_hook{[context](hook_input input) {
        return decide(context, std::move(input));
    }};

    hook_definition after;
    after.id = hook_id{"look_back"};
    after.point = hook_point::after_delivery;
    after.deadline = 10s;
    after.run = coroutine_hook{[context](hook_input input) {
        return look_back(context, std::move(input));
    }};
    return {before, after};
}

framework_callback make_sim_subscriber(const double_context* context, std::string name) {
    return [context, name = std::move(name)](framework_event notice) {
        return take_notice(context, name, std::move(notice));
    };
}

content say(sim_word word, int number) {
    static constexpr std::string_view words[] = {
        "plain",
        "block",
        "modify",
        "inject",
        "slow",
        "nested",
        "echo",
        "forbid",
        "back",
        "poison",
        "deadly"
    };
    const auto place = static_cast<std::size_t>(word);
    return content::text(std::string{words[place]} + ' ' + std::to_string(number));
}

}  // namespace convene
