// SPDX-License-Identifier: Apache-2.0
// Run questions: open approvals of one room, oldest first.
#include "app/run_questions.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/event_view.hpp"
#include "app/printable.hpp"

namespace convene {

namespace {

constexpr std::string_view question_kind = "input";

struct verb_word {
    std::string_view word;
    approval_verb verb;
};

constexpr std::array verb_words{
    verb_word{"approve", approval_verb::approve},
    verb_word{"a", approval_verb::approve},
    verb_word{"reject", approval_verb::reject},
    verb_word{"r", approval_verb::reject},
    verb_word{"return", approval_verb::return_},
    verb_word{"t", approval_verb::return_},
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r";
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace

std::optional<approvals_options> read_typed_decision(
    const approval_report& asked, std::string_view typed
) {
    approvals_options how;
    how.approval = asked.id;
    const std::string_view said = trimmed(typed);
    if (asked.kind == question_kind) {
        how.verb = approval_verb::approve;
        how.response = said;
        return said.empty() ? std::nullopt : std::optional{how};
    }
    const std::string_view word = said.substr(0, said.find(' '));
    for (const verb_word& known : verb_words) {
        if (known.word == word) {
            how.verb = known.verb;
            how.response = trimmed(said.substr(word.size()));
            return how;
        }
    }
    return std::nullopt;
}

run_questions::run_questions(
    server_conversations* asked,
    std::string execution,
    output_form form,
    output_stream* out,
    typed_lines* typed
)
    : asked_(*asked), execution_(std::move(execution)), form_(form), out_(*out), typed_(*typed) {}

awaitable<outcome<>> run_questions::look() {
    approval_filter which{"pending", execution_};
    auto open = co_await list_approvals(&asked_, std::move(which));
    if (!open) {
        co_return open.error();
    }
    // The last one comes first.
    for (auto one = open->rbegin(); one != open->rend(); ++one) {
        if (shown_.insert(one->id).second) {
            show(*one);
        }
    }
    if (form_ == output_form::text && typed_.is_open() && !open->empty()) {
        if (std::optional<std::string> line = typed_.take()) {
            prompted_.clear();
            co_await decide(std::move(open->back()), *std::move(line));
        } else if (prompted_ != open->back().id) {
            prompt(open->back());
        }
    }
    out_.flush();
    co_return outcome<>{};
}

void run_questions::show(const approval_report& open) {
    if (form_ == output_form::json) {
        out_.write_line(open.as_told);
        return;
    }
    out_.write_line(out_.styled(text_style::warning, "? " + printable_name(open.title)));
    if (!open.description.empty()) {
        out_.write_line("  " + printable(open.description, "  "));
    }
    if (open.expires_at) {
        const std::string until = "  open until " + time_for_people(*open.expires_at);
        out_.write_line(out_.styled(text_style::dim, until));
    }
    if (!typed_.is_open()) {
        const std::string how = "  to decide it: convene approvals approve " +
                                printable_name(open.id);
        out_.write_line(out_.styled(text_style::dim, how));
    }
}

void run_questions::prompt(const approval_report& open) {
    prompted_ = open.id;
    out_.write(
        open.kind == question_kind ? "your answer: "
                                   : "approve, reject or return, and why if you like: "
    );
}

void run_questions::close_prompt() {
    if (!prompted_.empty()) {
        prompted_.clear();
        out_.write_line("");
    }
}

awaitable<void> run_questions::decide(approval_report open, std::string typed) {
    std::optional<approvals_options> how = read_typed_decision(open, typed);
    if (!how) {
        co_return;  // it is asked for again
    }
    const auto decided = co_await decide_approval(&asked_, *std::move(how));
    if (!decided) {
        out_.write_line(out_.styled(text_style::bad, printable_name(decided.error().text)));
    }
}

}  // namespace convene
