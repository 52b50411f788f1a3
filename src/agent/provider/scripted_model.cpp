// SPDX-License-Identifier: Apache-2.0
// Steps of a script become pieces, at the script's pace.
#include "agent/provider/scripted_model.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::size_t characters_of_argument_piece = 16;

/// Words, each with the white space behind it.
std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view spaces = " \n\t";
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t begin = std::min(text.find_first_not_of(spaces), text.size());
        const std::size_t space = std::min(text.find_first_of(spaces, begin), text.size());
        const std::size_t end = std::min(text.find_first_not_of(spaces, space), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::int64_t count_words(std::string_view text) {
    return static_cast<std::int64_t>(words_of(text).size());
}

/// The next piece of arguments. *Requires*: `text` is not empty.
std::string_view take_characters(std::string_view& text) {
    const std::string_view piece = first_code_points(text, characters_of_argument_piece);
    text.remove_prefix(piece.size());
    return piece;
}

awaitable<result<>> pause(milliseconds span, deadline until) {
    const coroutine_context context = co_await this_context();
    const deadline wake_up = deadline{context.where->now() + span}.sooner(until);
    const result<> slept = co_await sleep_until(wake_up);
    if (slept && until.has_passed(context.where->now())) {
        co_return errc::timed_out;
    }
    co_return slept;
}

}  // namespace

/// An answer that is being played.
struct scripted_model::playing {
    answer_builder built;
    model_sink* sink = nullptr;
    deadline until;
    std::size_t calls = 0;
    std::int64_t spoken = 0;
    std::optional<finish_reason> ended_by{};
    bool has_thought = false;
    bool has_spoken = false;
};

awaitable<result<model_answer>> scripted_model::answer(
    model_request request, model_sink* sink, deadline until
) {
    token_usage usage;
    for (const chat_message& said : request.messages) {
        usage.input += count_words(said.text);
    }
    call_ids ids{std::to_string(request.messages.size()), call_ids_of(request.messages)};
    playing on{answer_builder{answer_limits{}, std::move(ids)}, sink, until};
    std::vector<played_step> steps = steps_of_answer(script_, request.messages);
    for (played_step& step : steps) {
        const result<> done = co_await play(&on, std::move(step));
        if (!done) {
            co_return done.error();
        }
        if (on.ended_by) {
            break;
        }
    }
    usage.output = on.spoken;
    result<model_answer> whole = on.built.finish(on.ended_by.value_or(finish_reason::stop), usage);
    const result<> given = co_await give(&on);
    if (!given) {
        co_return given.error();
    }
    co_return whole;
}

awaitable<result<>> scripted_model::play(playing* on, played_step step) {
    result<> done;
    if (auto* const text = std::get_if<played_text>(&step)) {
        done = co_await speak(on, std::move(text->text), voice::aloud);
    } else if (auto* const thought = std::get_if<played_thought>(&step)) {
        done = co_await speak(on, std::move(thought->text), voice::thinking);
    } else if (auto* const wanted = std::get_if<played_call>(&step)) {
        done = co_await call(on, std::move(*wanted));
    } else if (const auto* const wait = std::get_if<wait_step>(&step)) {
        done = co_await pause(wait->span, on->until);
    } else if (const auto* const failure = std::get_if<fail_step>(&step)) {
        done = failure->code;
    } else if (const auto* const end = std::get_if<end_step>(&step)) {
        on->ended_by = end->reason;
    }
    co_return done;
}

/// Texts of one answer stand on lines of their own.
awaitable<result<>> scripted_model::speak(playing* on, std::string text, voice how) {
    const bool is_aloud = how == voice::aloud;
    bool& has_begun = is_aloud ? on->has_spoken : on->has_thought;
    if (has_begun) {
        text.insert(0, "\n");
    }
    has_begun = true;
    const std::vector<std::string> words = words_of(text);
    for (const std::string& word : words) {
        result<> done = is_aloud ? on->built.say(word) : on->built.think(word);
        if (!done) {
            co_return done;
        }
        ++on->spoken;
        done = co_await give(on);
        if (!done) {
            co_return done;
        }
        done = co_await pause(script_.pace(), on->until);
        if (!done) {
            co_return done;
        }
    }
    co_return result<>{};
}

awaitable<result<>> scripted_model::call(playing* on, played_call what) {
    const std::size_t slot = on->calls++;
    result<> done = on->built.start_call(slot, {});
    if (!done) {
        co_return done;
    }
    on->built.name_call(slot, what.tool);
    std::string_view rest{what.arguments};
    while (done && !rest.empty()) {
        const std::string_view piece = take_characters(rest);
        done = on->built.add_arguments(slot, piece);
    }
    if (!done) {
        co_return done;
    }
    done = co_await give(on);
    co_return done;
}

awaitable<result<>> scripted_model::give(playing* on) {
    std::vector<model_piece> pieces = on->built.take_pieces();
    for (model_piece& piece : pieces) {
        const result<> taken = co_await on->sink->take(std::move(piece));
        if (!taken) {
            co_return taken;
        }
    }
    co_return result<>{};
}

}  // namespace convene
