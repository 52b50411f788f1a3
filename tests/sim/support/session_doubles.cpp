// SPDX-License-Identifier: Apache-2.0
// What the simulated model says and calls, by the story that it is asked for.
#include "sim/support/session_doubles.hpp"

#include "convene/wait.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/canonical_json.hpp"
#include "sim/support/session_story.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr const char* server_tool = "act";
constexpr const char* client_tool = "pick";
constexpr auto call_limit = 2s;
constexpr auto longest_call = 1500ms;
constexpr auto for_ever = 1h;

// -- the model -----------------------------------------------------------------------------------------

/// One answer while it is made.
struct answer_in_the_making {
    model_sink* sink = nullptr;
    story_place place;
    model_answer made;
};

class sim_chat_model final : public chat_model {
   public:
    explicit sim_chat_model(const session_double_context* context) : context_(*context) {}

    [[nodiscard]] std::string provider() const override { return "sim"; }

    [[nodiscard]] awaitable<result<model_answer>> answer(
        model_request request, model_sink* sink, deadline until
    ) override {
        answer_in_the_making begun{sink, find_place(request.messages), {}};
        auto playing = play(std::move(begun));
        auto answered = co_await with_deadline(until, std::move(playing));
        co_return answered;
    }

   private:
    [[nodiscard]] awaitable<result<model_answer>> play(answer_in_the_making answer) const {
        sim_random& random = *context_.random;
        answer.made.message.role = chat_role::assistant;
        if (random.happens(context_.traits->fails_for_now)) {
            co_return errc::model_unavailable;
        }
        if (answer.place.step == story_step::think) {
            const result<> thought = co_await think(&answer);
            if (!thought) {
                co_return thought.error();
            }
        }
        // Every other answer with calls has nothing but them.
        const bool calls = answer.place.step >= story_step::act &&
                           answer.place.step <= story_step::pick;
        if (!calls || (answer.place.number + static_cast<int>(answer.place.position)) % 2 == 0) {
            const result<> said = co_await say(&answer);
            if (!said) {
                co_return said.error();
            }
        }
        const result<> acted = co_await act(&answer);
        if (!acted) {
            co_return acted.error();
        }
        answer.made.finish = calls ? finish_reason::tool_calls : finish_reason::stop;
        co_return std::move(answer.made);
    }

    [[nodiscard]] awaitable<result<>> think(answer_in_the_making* answer) const {
        for (int i = 0; i < 2; ++i) {
            const result<> paused = co_await pause();
            if (!paused) {
                co_return paused;
            }
            model_piece piece = thinking_piece{fmt::format("Hm {}. ", i)};
            const result<> told = co_await answer->sink->take(std::move(piece));
            if (!told) {
                co_return told;
            }
        }
        co_return result<>{};
    }

    [[nodiscard]] awaitable<result<>> say(answer_in_the_making* answer) const {
        const int pieces = context_.random->between(1, 4);
        for (int i = 0; i < pieces; ++i) {
            const result<> paused = co_await pause();
            if (!paused) {
                co_return paused;
            }
            std::string text = fmt::format("Part {} of {}. ", i, answer->place.number);
            answer->made.message.text += text;
            model_piece piece = text_piece{std::move(text)};
            const result<> told = co_await answer->sink->take(std::move(piece));
            if (!told) {
                co_return told;
            }
        }
        co_return result<>{};
    }

    /// What follows the words.
    [[nodiscard]] awaitable<result<>> act(answer_in_the_making* answer) const {
        switch (answer->place.step) {
            case story_step::say:
            case story_step::think:
                break;
            case story_step::act:
            case story_step::slow:
            case story_step::stuck:
            case story_step::lethal:
                return call(answer, "c1", std::string{server_tool});
            case story_step::twice:
                return call_twice(answer);
            case story_step::pick:
                return call(answer, "c1", std::string{client_tool});
            case story_step::fail:
                return break_off();
            case story_step::hang:
                return sleep(for_ever);
            case story_step::die:
                context_.die();
                return sleep(for_ever);
        }
        return sleep(0ms);
    }

    [[nodiscard]] awaitable<result<>> call_twice(answer_in_the_making* answer) const {
        std::string tool{server_tool};
        const result<> first = co_await call(answer, "c1", tool);
        if (!first) {
            co_return first;
        }
        const result<> second = co_await call(answer, "c2", std::move(tool));
        co_return second;
    }

    [[nodiscard]] awaitable<result<>> call(
        answer_in_the_making* answer, std::string id, std::string tool
    ) const {
        tool_call made{id, std::move(tool), {}};
        made.arguments = json_text::trusted(fmt::format(
            R"({{"at":{},"call":"{}","how":"{}","of":{}}})",
            answer->place.position,
            id,
            word_of(answer->place.step),
            answer->place.number
        ));
        answer->made.message.calls.push_back(made);
        const result<> paused = co_await pause();
        if (!paused) {
            co_return paused;
        }
        model_piece start = call_start{made.id, made.name};
        const result<> begun = co_await answer->sink->take(std::move(start));
        if (!begun) {
            co_return begun;
        }
        model_piece arguments = call_arguments{made.id, made.arguments.str()};
        const result<> told = co_await answer->sink->take(std::move(arguments));
        if (!told) {
            co_return told;
        }
        model_piece end = call_end{made.id};
        const result<> ended = co_await answer->sink->take(std::move(end));
        co_return ended;
    }

    [[nodiscard]] static awaitable<result<>> break_off() { co_return errc::answer_cut_off; }

    [[nodiscard]] static awaitable<result<>> sleep(std::chrono::nanoseconds span) {
        const result<> slept = co_await sleep_for(span);
        co_return slept;
    }

    [[nodiscard]] awaitable<result<>> pause() const {
        return sleep(context_.random->skewed(0ms, context_.traits->slowest));
    }

    const session_double_context& context_;
};

// -- the tool ------------------------------------------------------------------------------------------

class sim_tool final : public tool {
   public:
    explicit sim_tool(const session_double_context* context) : context_(*context) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return definition_;
    }

    [[nodiscard]] std::chrono::milliseconds call_deadline() const override { return call_limit; }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context asked)
        override {
        sim_random& random = *context_.random;
        const std::string how = find_text(arguments.str(), "how").value_or("");
        const bool is_slow = how == word_of(story_step::slow);
        const auto longest = is_slow ? longest_call / 2 : 10ms;
        const result<> begun = co_await sleep_for(random.skewed(0ms, longest));
        if (!begun) {
            co_return begun.error();
        }
        context_.auditor->has_effect(context_.worker, asked, arguments);
        if (how == word_of(story_step::lethal)) {
            context_.die();
        }
        const bool never_ends = how == word_of(story_step::lethal) ||
                                how == word_of(story_step::stuck);
        const std::chrono::nanoseconds left = never_ends ? for_ever : random.skewed(0ms, longest);
        const result<> ended = co_await sleep_for(left);
        if (!ended) {
            co_return ended.error();
        }
        co_return tool_output{"done"};
    }

   private:
    const session_double_context& context_;
    const tool_definition definition_{
        std::string{server_tool}, "Acts.", json_text::trusted(R"({"type":"object"})")
    };
};

}  // namespace

channel_id sim_session_agent_id() { return channel_id{"session-agent"}; }

tool_definition sim_client_tool() {
    return {std::string{client_tool}, "Picks.", json_text::trusted(R"({"type":"object"})")};
}

std::shared_ptr<channel> make_sim_session_agent(
    room_kit* kit, const session_double_context* context, driver_lookup leave_to_driver
) {
    model_agent_settings settings;
    settings.id = sim_session_agent_id();
    model_agent::parts parts;
    parts.kit = kit;
    parts.model = std::make_shared<sim_chat_model>(context);
    parts.leave_to_driver = std::move(leave_to_driver);
    const result<> added = parts.tools.add(std::make_shared<sim_tool>(context));
    CONVENE_ASSERT(added, "the tool has a good name and schema");
    return std::make_shared<model_agent>(std::move(settings), std::move(parts));
}

}  // namespace convene
