// SPDX-License-Identifier: Apache-2.0
// The loop: it carries out what the machine decides, and keeps every call paired with a result.
#include "agent/tool_loop.hpp"

#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::string_view not_called = "Not called: the answer ended before.";

std::size_t size_of(const model_piece& piece) noexcept {
    if (const auto* text = std::get_if<text_piece>(&piece)) {
        return text->text.size();
    }
    if (const auto* thought = std::get_if<thinking_piece>(&piece)) {
        return thought->text.size();
    }
    const auto* arguments = std::get_if<call_arguments>(&piece);
    return arguments != nullptr ? arguments->text.size() : 0;
}

/// Passes pieces on, remembers the text of an answer that may be cut off, and holds all answers to a size.
class counting_sink final : public model_sink {
   public:
    counting_sink(tool_loop_listener* listener, std::size_t most_bytes)
        : listener_(*listener), left_(most_bytes) {}

    [[nodiscard]] awaitable<result<>> take(model_piece piece) override {
        const std::size_t size = size_of(piece);
        if (size > left_) {
            is_full_ = true;
            co_return errc::payload_too_large;
        }
        left_ -= size;
        if (const auto* text = std::get_if<text_piece>(&piece)) {
            text_ += text->text;
        }
        const result<> taken = co_await listener_.piece(std::move(piece));
        co_return taken;
    }

    void begin_answer() { text_.clear(); }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    [[nodiscard]] bool is_full() const noexcept { return is_full_; }

   private:
    tool_loop_listener& listener_;
    std::size_t left_;
    bool is_full_ = false;
    std::string text_;
};

/// The calls of one round, under way at the same time.
class call_round {
   public:
    call_round(
        const std::vector<planned_call>& planned,
        const tool_context& context,
        std::size_t first_number,
        std::size_t most_bytes,
        coroutine_context around
    )
        : planned_(planned),
          context_(context),
          first_number_(first_number),
          most_bytes_(most_bytes),
          where_(*around.where),
          refusals_(planned.size()),
          outcomes_(planned.size()),
          calls_(*around.where, around.cancel) {}

    /// Calls what is to be called, and tells of each as it ends. On return nothing runs any more.
    [[nodiscard]] awaitable<result<>> run(tool_loop_listener* listener) {
        result<> told = co_await tell_intents(listener);
        if (told) {
            start();
            told = co_await tell_ends(listener);
        }
        if (!told) {
            calls_.request_stop();
        }
        co_await calls_.join();
        co_return told;
    }

    [[nodiscard]] const std::optional<call_outcome>& outcome(std::size_t i) const {
        return outcomes_[i];
    }

   private:
    [[nodiscard]] std::string key_of(std::size_t i) const {
        return context_.call_key + ":" + std::to_string(first_number_ + i);
    }

    awaitable<result<>> tell_intents(tool_loop_listener* listener) {
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            if (planned_[i].what != planned_call::fate::call) {
                continue;
            }
            auto noted = co_await listener->intend(planned_[i].call, key_of(i));
            if (!noted) {
                co_return noted.error();
            }
            refusals_[i] = *std::move(noted);
        }
        co_return result<>{};
    }

    void start() {
        for (std::size_t i = 0; i < planned_.size(); ++i) {
            if (refusals_[i]) {
                end(i, failed_call(*refusals_[i]));
            } else if (planned_[i].what == planned_call::fate::call) {
                calls_.spawn("tool " + planned_[i].call.name, make_call(i));
                ++running_;
            } else if (planned_[i].what == planned_call::fate::refuse) {
                end(i, failed_call(planned_[i].refusal));
            }
        }
    }

    awaitable<void> make_call(std::size_t i) {
        const monotonic_time begun = where_.now();
        call_outcome outcome = co_await ask(i);
        outcome.took = std::chrono::duration_cast<std::chrono::milliseconds>(where_.now() - begun);
        --running_;
        end(i, std::move(outcome));
    }

    awaitable<call_outcome> ask(std::size_t i) {
        const planned_call& planned = planned_[i];
        const coroutine_context context_now = co_await this_context();
        if (!context_now.check_cancelled()) {
            co_return failed_call(std::string{not_called});
        }
        const std::chrono::milliseconds limit = planned.made->call_deadline();
        std::string text;
        try {
            tool_context context = context_;
            context.call_key = key_of(i);
            auto calling = planned.made->call(planned.call.arguments, std::move(context));
            const deadline until{where_.now() + limit};
            result<tool_output> said = co_await with_deadline(until, std::move(calling));
            co_return said ? outcome_of(*std::move(said), most_bytes_)
                           : outcome_of(said.error(), limit);
        } catch (const std::exception& thrown) {
            text = thrown.what();
        }
        log(log_level::error, "tool_failed", {{"tool", planned.call.name}, {"error", text}});
        co_return failed_call("The tool failed.");
    }

    void end(std::size_t i, call_outcome outcome) {
        outcomes_[i] = std::move(outcome);
        ended_.push_back(i);
        news_.notify_all();
    }

    awaitable<result<>> tell_ends(tool_loop_listener* listener) {
        while (running_ > 0 || !ended_.empty()) {
            if (ended_.empty()) {
                const result<> waited = co_await news_.wait();
                if (!waited) {
                    co_return waited;
                }
                continue;
            }
            const std::size_t i = ended_.front();
            ended_.pop_front();
            call_outcome outcome = *outcomes_[i];
            const result<> told = co_await listener->ended(planned_[i].call, std::move(outcome));
            if (!told) {
                co_return told;
            }
        }
        co_return result<>{};
    }

    // fixed after construction
    const std::vector<planned_call>& planned_;
    const tool_context& context_;
    const std::size_t first_number_;
    const std::size_t most_bytes_;
    executor& where_;

    // touched on the loop only
    std::vector<tool_loop_listener::refusal> refusals_;
    std::vector<std::optional<call_outcome>> outcomes_;
    std::deque<std::size_t> ended_;  ///< not told yet
    std::size_t running_ = 0;
    wait_flag news_;
    task_scope calls_;
};

std::set<std::string, std::less<>> names_of(const std::vector<tool_definition>& tools) {
    std::set<std::string, std::less<>> names;
    for (const tool_definition& one : tools) {
        names.insert(one.name);
    }
    return names;
}

class tool_loop {
   public:
    tool_loop(chat_model* model, tool_loop_request request, tool_loop_listener* listener)
        : model_(*model),
          listener_(*listener),
          request_(std::move(request)),
          rounds_(
              request_.tools,
              names_of(request_.client_tools),
              request_.limits,
              request_.check_client_call
          ),
          sink_(listener, request_.limits.output_bytes) {
        request_.question.tools = request_.tools.definitions();
        for (const tool_definition& one : request_.client_tools) {
            request_.question.tools.push_back(one);
        }
    }

    awaitable<loop_end> run() {
        bool goes_on = true;
        while (goes_on) {
            const result<bool> done = co_await make_round();
            if (!done) {
                fail(done.error());
            }
            goes_on = done && *done;
        }
        end_.rounds = rounds_.rounds();
        co_return std::move(end_);
    }

   private:
    /// One question with what its answer calls for. True: the model is to be asked again.
    awaitable<result<bool>> make_round() {
        sink_.begin_answer();
        model_request question = request_.question;
        auto answered = co_await model_.answer(std::move(question), &sink_, request_.until);
        if (!answered) {
            keep_partial_text();
            co_return answered.error();
        }
        end_.usage.add(answered->usage);
        model_answer told = *answered;
        const result<> heard = co_await listener_.said(std::move(told));
        const loop_decision decided = rounds_.on_answer(*answered);
        add(std::move(answered->message));
        end_.finish = decided.finish;
        if (!heard) {
            pair_up(decided.calls, nullptr);
            co_return heard.error();
        }
        const coroutine_context context = co_await this_context();
        call_round calls{
            decided.calls, request_.context, calls_made_, request_.limits.tool_result_bytes, context
        };
        calls_made_ += decided.calls.size();
        const result<> called = co_await calls.run(&listener_);
        pair_up(decided.calls, &calls);
        if (!called) {
            co_return called.error();
        }
        co_return decided.goes_on;
    }

    void add(chat_message message) {
        request_.question.messages.push_back(message);
        end_.messages.push_back(std::move(message));
    }

    /// Each call gets a result, or stays open for a client.
    void pair_up(const std::vector<planned_call>& planned, const call_round* calls) {
        for (std::size_t i = 0; i < planned.size(); ++i) {
            if (planned[i].what == planned_call::fate::client) {
                end_.open_calls.push_back(planned[i].call);
                continue;
            }
            const auto made = calls != nullptr ? calls->outcome(i) : std::nullopt;
            add(result_message(planned[i].call, made ? *made : failed_call(std::string{not_called}))
            );
        }
    }

    /// An answer that was cut off: its text is kept, its calls are not complete.
    void keep_partial_text() {
        if (!sink_.text().empty()) {
            add(chat_message{chat_role::assistant, sink_.text()});
        }
    }

    void fail(error_code why) {
        if (sink_.is_full()) {
            end_.finish = loop_finish::length;
            return;
        }
        end_.finish = loop_finish::failed;
        end_.error = why;
    }

    // fixed after construction
    chat_model& model_;
    tool_loop_listener& listener_;

    // touched on the loop only
    tool_loop_request request_;
    tool_loop_fsm rounds_;
    counting_sink sink_;
    std::size_t calls_made_ = 0;
    loop_end end_;
};

}  // namespace

awaitable<loop_end> run_tool_loop(
    chat_model* model, tool_loop_request request, tool_loop_listener* listener
) {
    const deadline until = request.until;
    tool_loop running{model, std::move(request), listener};
    auto work = running.run();
    loop_end end = co_await with_deadline(until, std::move(work));
    co_return end;
}

}  // namespace convene
