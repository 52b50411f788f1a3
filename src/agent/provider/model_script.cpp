// SPDX-License-Identifier: Apache-2.0
// Scripts, read line by line; whoever wrote one is told the line and the remedy.
#include "agent/provider/model_script.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr std::string_view first_line = "model-script 1";
constexpr std::size_t most_bytes = 256 * 1024;
constexpr milliseconds longest_wait{600'000};
constexpr milliseconds longest_pace{1'000};
constexpr std::int64_t most_results = 64;
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Cuts the first word off.
std::string_view take_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text = trimmed(text.substr(word.size()));
    return word;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name_character(char c) {
    return is_letter(c) || is_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// Cuts off as many characters of a kind as there are.
std::string_view take_while(std::string_view& text, bool (*is_of_kind)(char)) {
    const auto end = std::ranges::find_if_not(text, is_of_kind);
    const std::string_view taken{text.begin(), end};
    text.remove_prefix(taken.size());
    return taken;
}

std::optional<std::int64_t> number_of(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    return failure == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

std::optional<milliseconds> span_of(std::string_view text) {
    std::string_view rest = text;
    const std::optional<std::int64_t> number = number_of(take_while(rest, is_digit));
    constexpr std::int64_t most = 1'000'000;
    if (!number || *number > most || (rest != "ms" && rest != "s")) {
        return std::nullopt;
    }
    return rest == "s" ? seconds{*number} : milliseconds{*number};
}

bool is_tool_name(std::string_view text) {
    constexpr std::size_t longest = 64;
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, is_name_character);
}

std::optional<errc> failure_of(std::string_view word) {
    constexpr std::pair<std::string_view, errc> known[] = {
        {"overloaded", errc::model_overloaded},
        {"unavailable", errc::model_unavailable},
        {"refused", errc::model_refused},
        {"cut-off", errc::answer_cut_off},
    };
    const auto found = std::ranges::find(known, word, &std::pair<std::string_view, errc>::first);
    return found == std::end(known) ? std::nullopt : std::optional{found->second};
}

}  // namespace

std::string script_problem::message() const { return "line " + std::to_string(line) + ": " + text; }

/// Reads one script.
class script_reader {
   public:
    explicit script_reader(std::string_view text) : rest_(text) {}

    model_script::parsed read() {
        if (!check_text(rest_, "script", {.max_text_bytes = most_bytes})) {
            fail("a script is UTF-8 of at most 256 KiB without NUL: save it as that");
            return *problem_;
        }
        while (!problem_ && !rest_.empty()) {
            take_line();
        }
        if (!problem_) {
            check_end();
        }
        return problem_ ? model_script::parsed{*problem_} : model_script::parsed{script_};
    }

   private:
    void fail(std::string text) {
        problem_ = script_problem{std::max<std::size_t>(line_, 1), std::move(text)};
    }

    void take_line() {
        ++line_;
        const std::size_t end = rest_.find('\n');
        const std::string_view line = trimmed(rest_.substr(0, end));
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        if (line.empty() || line.starts_with('#')) {
            return;
        }
        if (!has_version_) {
            has_version_ = line == first_line;
            if (!has_version_) {
                fail("a script begins with the line: model-script 1");
            }
            return;
        }
        take_statement(line);
    }

    void take_statement(std::string_view line) {
        std::string_view rest = line;
        const std::string_view word = take_word(rest);
        if (word == "when" || word == "otherwise") {
            take_head(word, rest);
        } else if (word == "pace" || word == "ask-tool") {
            take_option(word, rest);
        } else if (script_.blocks_.empty()) {
            fail(
                "'" + std::string{word} +
                "' belongs to no block: write `when ...` or `otherwise` above it"
            );
        } else {
            take_step(word, rest);
        }
    }

    void take_option(std::string_view word, std::string_view rest) {
        if (!script_.blocks_.empty()) {
            fail(
                "'" + std::string{word} +
                "' comes before the first `when` or `otherwise`: move it up"
            );
        } else if (word == "ask-tool") {
            ask_tool_ = rest;
            if (!is_tool_name(rest)) {
                fail("a tool's name has 1 to 64 letters, digits, _ and -: ask-tool ask_user");
            }
        } else if (const auto span = span_of(rest); span && *span <= longest_pace) {
            script_.pace_ = *span;
        } else {
            fail("a pace is a time of at most 1s: pace 30ms");
        }
    }

    void take_head(std::string_view word, std::string_view rest) {
        if (has_otherwise_) {
            fail("nothing comes behind `otherwise`: move this block above it");
            return;
        }
        script_block block;
        if (word == "otherwise") {
            has_otherwise_ = true;
            if (!rest.empty()) {
                fail("`otherwise` stands alone: put the step on a line below");
            }
        } else if (!read_condition(rest, block)) {
            fail(
                R"(a condition is one of: when turn 2; when says "a" or "b"; when turn 2 and says "a")"
            );
        }
        has_call_ = false;
        script_.blocks_.push_back(std::move(block));
    }

    static bool read_condition(std::string_view rest, script_block& into) {
        std::string_view word = take_word(rest);
        if (word == "turn") {
            into.turn = number_of(take_word(rest));
            if (!into.turn || *into.turn < 1) {
                return false;
            }
            if (rest.empty()) {
                return true;
            }
            const bool has_and = take_word(rest) == "and";
            word = take_word(rest);
            if (!has_and) {
                return false;
            }
        }
        return word == "says" && read_words(rest, into.words);
    }

    static bool read_words(std::string_view rest, std::vector<std::string>& into) {
        for (;;) {
            const std::size_t end = rest.starts_with('"') ? rest.find('"', 1) : rest.npos;
            if (end == rest.npos || end == 1) {
                return false;
            }
            into.emplace_back(rest.substr(1, end - 1));
            rest = trimmed(rest.substr(end + 1));
            if (rest.empty()) {
                return true;
            }
            if (take_word(rest) != "or") {
                return false;
            }
        }
    }

    void take_step(std::string_view word, std::string_view rest) {
        script_step step;
        if (word == "if") {
            const std::string_view which = take_word(rest);
            word = take_word(rest);
            step.guard = which == "worked" ? step_guard::if_worked : step_guard::if_failed;
            if ((which != "worked" && which != "failed") || word.empty()) {
                fail("a step is guarded by one of: if worked say ...; if failed say ...");
                return;
            }
            if (!has_call_) {
                fail("`if` looks at the result of a call: write a `call` or `ask` above it");
                return;
            }
        }
        if (word == "say") {
            step.action = say_step{read_text(rest)};
        } else if (word == "think") {
            step.action = think_step{read_text(rest)};
        } else if (word == "call") {
            step.action = read_call(rest);
        } else if (word == "ask") {
            step.action = read_question(rest);
        } else if (word == "wait") {
            const auto span = span_of(rest);
            step.action = wait_step{span.value_or(milliseconds{0})};
            if (!span || *span > longest_wait) {
                fail("a wait is a time of at most 600s: wait 500ms");
            }
        } else if (word == "fail") {
            const auto code = failure_of(rest);
            step.action = fail_step{code.value_or(errc::model_unavailable)};
            if (!code) {
                fail(
                    "a failure is one of: fail overloaded; fail unavailable; fail refused; fail "
                    "cut-off"
                );
            }
        } else if (word == "end") {
            step.action = end_step{
                rest == "length" ? finish_reason::length : finish_reason::refused
            };
            if (rest != "length" && rest != "refused") {
                fail("an end is one of: end length; end refused");
            }
        } else {
            fail(
                "'" + std::string{word} +
                "' is no step: use say, think, call, ask, wait, fail or end"
            );
        }
        script_.blocks_.back().steps.push_back(std::move(step));
    }

    call_step read_call(std::string_view rest) {
        call_step call;
        call.tool = take_word(rest);
        has_call_ = true;
        const auto arguments = parse_json_object(rest.empty() ? "{}" : rest, "arguments");
        if (!is_tool_name(call.tool) || !arguments) {
            fail(
                R"(a call has a tool's name and a JSON object on the same line: call search {"for": "$user"})"
            );
        } else {
            call.arguments = read_text(arguments->str());
        }
        return call;
    }

    call_step read_question(std::string_view rest) {
        has_call_ = true;
        json_writer arguments;
        arguments.begin_object().key("question").string(rest).end_object();
        return {ask_tool_, read_text(arguments.take().str())};
    }

    script_text read_text(std::string_view rest) {
        script_text text;
        std::string plain;
        while (!rest.empty()) {
            const std::size_t length = std::min(rest.find('$'), rest.size());
            plain += rest.substr(0, length);
            rest.remove_prefix(length);
            if (rest.empty()) {
                break;
            }
            rest.remove_prefix(1);
            if (rest.starts_with('$')) {
                rest.remove_prefix(1);
                plain += '$';
            } else if (rest.empty() || !is_letter(rest.front())) {
                plain += '$';
            } else {
                text.emplace_back(std::exchange(plain, {}));
                text.emplace_back(read_variable(rest));
            }
        }
        text.emplace_back(std::move(plain));
        return text;
    }

    script_variable read_variable(std::string_view& rest) {
        const std::string_view word = take_while(rest, is_letter);
        script_variable variable;
        if (word == "user") {
            variable.kind = variable_kind::user;
        } else if (word == "name") {
            variable.kind = variable_kind::name;
        } else if (word == "turn") {
            variable.kind = variable_kind::turn;
        } else if (word == "result") {
            variable.kind = variable_kind::result;
            read_place(rest, variable);
        } else {
            fail(
                "'$" + std::string{word} +
                "' is no variable: use $user, $name, $turn or $result, and $$ for a dollar sign"
            );
        }
        return variable;
    }

    void read_place(std::string_view& rest, script_variable& into) {
        if (const std::string_view digits = take_while(rest, is_digit); !digits.empty()) {
            const auto number = number_of(digits);
            into.number = static_cast<std::size_t>(number.value_or(0));
            if (!number || *number < 1 || *number > most_results) {
                fail("results are counted from 1: $result1");
            }
        }
        while (rest.size() > 1 && rest[0] == '.' && is_name_character(rest[1])) {
            rest.remove_prefix(1);
            into.path.emplace_back(take_while(rest, is_name_character));
        }
    }

    void check_end() {
        if (!has_version_) {
            fail("a script begins with the line: model-script 1");
        } else if (!has_otherwise_) {
            fail("the last block is `otherwise`: say there what is answered to anything else");
        }
    }

    std::string_view rest_;
    std::size_t line_ = 0;
    bool has_version_ = false;
    bool has_otherwise_ = false;
    bool has_call_ = false;  ///< in this block
    std::string ask_tool_ = "ask_user";
    std::optional<script_problem> problem_;
    model_script script_;
};

model_script::parsed model_script::parse(std::string_view text) {
    return script_reader{text}.read();
}

}  // namespace convene
