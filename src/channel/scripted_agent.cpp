// SPDX-License-Identifier: Apache-2.0
// Scripted agent: performs the steps of a script as one answer.
#include "convene/channels/scripted_agent.hpp"

#include "convene/wait.hpp"

#include <stdexcept>
#include <utility>

#include "base/assert.hpp"

namespace convene {

namespace {

constexpr std::size_t most_remembered = 1'000;

/// `text` with every `{text}` replaced.
std::string filled(std::string text, const std::string& trigger) {
    static constexpr std::string_view placeholder = "{text}";
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + trigger.size())) {
        text.replace(at, placeholder.size(), trigger);
    }
    return text;
}

}  // namespace

agent_script& agent_script::say(std::string text) {
    steps_.emplace_back(saying{std::move(text)});
    return *this;
}

agent_script& agent_script::segment(std::string text) {
    steps_.emplace_back(streaming{std::move(text)});
    return *this;
}

agent_script& agent_script::wait(std::chrono::milliseconds span) {
    steps_.emplace_back(waiting{span});
    return *this;
}

agent_script& agent_script::hang() {
    steps_.emplace_back(hanging{});
    return *this;
}

agent_script& agent_script::fail_with_exception(std::string text) {
    steps_.emplace_back(throwing{std::move(text)});
    return *this;
}

agent_script& agent_script::fail(std::string error_code) {
    steps_.emplace_back(failing{std::move(error_code)});
    return *this;
}

agent_script& agent_script::call(agent_callback called) {
    steps_.emplace_back(calling{std::move(called)});
    return *this;
}

agent_script& agent_script::task(std::string title) {
    steps_.emplace_back(leaving_task{std::move(title)});
    return *this;
}

agent_script& agent_script::observe(std::string category, std::string text) {
    steps_.emplace_back(observing{std::move(category), std::move(text)});
    return *this;
}

agent_script& agent_script::finish(std::string reason) {
    steps_.emplace_back(finishing{std::move(reason)});
    return *this;
}

/// One answer in the making. Each `perform` tells whether it goes on, or with which error it ends.
class scripted_agent::performance {
   public:
    performance(agent_request request, answer_sink* sink)
        : request_(std::move(request)),
          sink_(sink),
          trigger_(readable_text(request_.trigger.content)) {}

    awaitable<agent_answer> run(const agent_script* script) {
        for (const agent_script::step& step : script->steps_) {
            auto performing = std::visit([this](const auto& what) { return perform(&what); }, step);
            const result<> performed = co_await std::move(performing);
            if (!performed) {
                co_return ended_early(performed.error());
            }
        }
        if (!whole_.empty()) {
            answer_.whole = content::text(whole_);
        }
        co_return std::move(answer_);
    }

   private:
    awaitable<result<>> perform(const agent_script::saying* step) {
        whole_ += filled(step->text, trigger_);
        co_return result<>{};
    }

    awaitable<result<>> perform(const agent_script::streaming* step) {
        content piece = content::text(filled(step->text, trigger_));
        co_return co_await sink_->segment(std::move(piece));
    }

    awaitable<result<>> perform(const agent_script::waiting* step) { return sleep_for(step->span); }

    awaitable<result<>> perform(const agent_script::hanging*) {
        co_return co_await sleep_until(deadline::never());
    }

    awaitable<result<>> perform(const agent_script::throwing* step) {
        throw std::runtime_error(step->text);
    }

    awaitable<result<>> perform(const agent_script::failing* step) {
        answer_.outcome.error_code = step->error_code;
        co_return errc::hook_failed;
    }

    awaitable<result<>> perform(const agent_script::calling* step) {
        return step->called(request_);
    }

    awaitable<result<>> perform(const agent_script::leaving_task* step) {
        room_task left;
        left.title = filled(step->title, trigger_);
        answer_.tasks.push_back(std::move(left));
        co_return result<>{};
    }

    awaitable<result<>> perform(const agent_script::observing* step) {
        observation made;
        made.category = step->category;
        made.content = filled(step->text, trigger_);
        answer_.observations.push_back(std::move(made));
        co_return result<>{};
    }

    awaitable<result<>> perform(const agent_script::finishing* step) {
        answer_.finish_reason = step->reason;
        co_return result<>{};
    }

    /// What was said so far is kept in its segments; the rest is not said.
    agent_answer ended_early(error_code why) {
        const bool is_cut_off = why == errc::cancelled || why == errc::timed_out;
        answer_.finish_reason = is_cut_off ? "interrupted" : "failed";
        if (answer_.outcome.error_code.empty()) {
            answer_.outcome.error_code = name_of(static_cast<errc>(why.value()));
        }
        return std::move(answer_);
    }

    const agent_request request_;
    answer_sink* const sink_;
    const std::string trigger_;
    std::string whole_;
    agent_answer answer_;
};

scripted_agent::scripted_agent(
    channel_id id, std::vector<agent_script> scripts, scripted_agent_settings with
)
    : id_(std::move(id)), scripts_(std::move(scripts)), with_(std::move(with)) {
    CONVENE_ASSERT(!scripts_.empty(), "a scripted agent needs a script");
}

awaitable<agent_answer> scripted_agent::answer(agent_request request, answer_sink* sink) {
    const std::size_t turn = std::min(answered_++, scripts_.size() - 1);
    requests_.push_back(request);
    if (requests_.size() > most_remembered) {
        requests_.pop_front();
    }
    performance playing{std::move(request), sink};
    co_return co_await playing.run(&scripts_[turn]);
}

}  // namespace convene
