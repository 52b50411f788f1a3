// SPDX-License-Identifier: Apache-2.0
// A model that answers by a list of steps: no provider, no network.
#pragma once

#include "convene/chat_model.hpp"
#include "convene/wait.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace convene {

/// One answer, piece by piece.
class model_script {
   public:
    model_script& say(std::string text) {
        steps_.emplace_back(model_piece{text_piece{std::move(text)}});
        return *this;
    }

    model_script& think(std::string text) {
        steps_.emplace_back(model_piece{thinking_piece{std::move(text)}});
        return *this;
    }

    model_script& call(std::string id, std::string name, std::string arguments = "{}") {
        steps_.emplace_back(
            calling{{std::move(id), std::move(name), json_text::trusted(std::move(arguments))}}
        );
        return *this;
    }

    model_script& wait(std::chrono::milliseconds span) {
        steps_.emplace_back(span);
        return *this;
    }

    model_script& hang() { return wait(std::chrono::hours{1'000}); }

    model_script& fail(errc code) {
        steps_.emplace_back(code);
        return *this;
    }

    model_script& finish(finish_reason reason) {
        finish_ = reason;
        return *this;
    }

    /// Called in the course of the answer: to let a worker die there.
    model_script& then(std::function<void()> what) {
        steps_.emplace_back(std::move(what));
        return *this;
    }

   private:
    friend class scripted_chat_model;

    struct calling {
        tool_call what;
    };

    using step = std::
        variant<model_piece, calling, std::chrono::milliseconds, errc, std::function<void()>>;

    std::vector<step> steps_;
    finish_reason finish_ = finish_reason::stop;
};

/// Answers the first question by the first script, and so on; the last one is used again. Ten tokens go in, one comes
/// out for each step.
class scripted_chat_model final : public chat_model {
   public:
    explicit scripted_chat_model(std::vector<model_script> scripts)
        : scripts_(std::move(scripts)) {}

    std::deque<model_request> requests;

    [[nodiscard]] std::string provider() const override { return "scripted"; }

    [[nodiscard]] awaitable<result<model_answer>> answer(
        model_request request, model_sink* sink, deadline until
    ) override {
        const model_script& script = scripts_[std::min(requests.size(), scripts_.size() - 1)];
        requests.push_back(std::move(request));
        auto playing = play(&script, sink);
        auto answered = co_await with_deadline(until, std::move(playing));
        co_return answered;
    }

   private:
    static awaitable<result<model_answer>> play(const model_script* script, model_sink* sink) {
        model_answer made;
        made.message.role = chat_role::assistant;
        made.finish = script->finish_;
        made.usage = {10, static_cast<std::int64_t>(script->steps_.size())};
        for (const model_script::step& step : script->steps_) {
            auto performing = perform(&step, sink, &made);
            const result<> performed = co_await std::move(performing);
            if (!performed) {
                co_return performed.error();
            }
        }
        if (!made.message.calls.empty() && made.finish == finish_reason::stop) {
            made.finish = finish_reason::tool_calls;
        }
        co_return made;
    }

    static awaitable<result<>> perform(
        const model_script::step* step, model_sink* sink, model_answer* made
    ) {
        if (const auto* piece = std::get_if<model_piece>(step)) {
            if (const auto* text = std::get_if<text_piece>(piece)) {
                made->message.text += text->text;
            }
            model_piece given = *piece;
            co_return co_await sink->take(std::move(given));
        }
        if (const auto* calling = std::get_if<model_script::calling>(step)) {
            const tool_call call = calling->what;
            made->message.calls.push_back(call);
            model_piece start = call_start{call.id, call.name};
            const result<> begun = co_await sink->take(std::move(start));
            model_piece arguments = call_arguments{call.id, call.arguments.str()};
            const result<> told = co_await sink->take(std::move(arguments));
            model_piece end = call_end{call.id};
            const result<> ended = co_await sink->take(std::move(end));
            co_return begun&& told ? ended : result<>{errc::cancelled};
        }
        if (const auto* span = std::get_if<std::chrono::milliseconds>(step)) {
            co_return co_await sleep_for(*span);
        }
        if (const auto* failure = std::get_if<errc>(step)) {
            co_return *failure;
        }
        std::get<std::function<void()>> (*step)();
        const result<> turned = co_await yield_turn();
        co_return turned;
    }

    const std::vector<model_script> scripts_;
};

}  // namespace convene
