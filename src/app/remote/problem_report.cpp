// SPDX-License-Identifier: Apache-2.0
// Problem documents: reading them, and the words for people.
#include "app/remote/problem_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/printable.hpp"
#include "app/remote/answer_fields.hpp"
#include "base/json_scanner.hpp"

namespace convene {

namespace {

constexpr std::int64_t longest_wait_seconds = 3600;

/// What a command can say better than the server, which does not know its flags.
struct known_problem {
    std::string_view code;
    exit_code ends_with;
    std::string_view text;
    std::string_view remedy;
};

constexpr std::array known_problems{
    known_problem{
        "UNAUTHENTICATED",
        exit_code::usage,
        "the server does not know this token (CONVENE_TOKEN)",
        "give one that is valid with --token or --token-file; an admin makes them: POST tokens"
    },
    known_problem{
        "FORBIDDEN",
        exit_code::usage,
        "the token (CONVENE_TOKEN) may not do this",
        "use one with the role that it needs"
    },
    known_problem{
        "ROOM_CLOSED",
        exit_code::refused,
        "ROOM is closed: nothing was stored",
        "reopen it, or send to another room"
    },
    known_problem{
        "IDEMPOTENCY_KEY_REUSED",
        exit_code::refused,
        "the key (--key) was used in this room for another message",
        "use a new key for a new message"
    },
    known_problem{
        "EVENT_DELETED",
        exit_code::refused,
        "the key (--key) belongs to a message that was deleted for good",
        "use a new key"
    },
    known_problem{
        "ALREADY_EXISTS",
        exit_code::refused,
        "ROOM was made by somebody else at this moment",
        "try again"
    },
    known_problem{
        "RATE_LIMITED",
        exit_code::database_problem,
        "the server (CONVENE_URL) takes no more requests with this token for now",
        "try again in a while; RATE_LIMIT_PER_TOKEN of the server says how many it takes"
    },
    known_problem{
        "COMMIT_OUTCOME_UNKNOWN",
        exit_code::database_problem,
        "the server (CONVENE_URL) got no answer to a commit: it may have been stored",
        "try again with the same --key: what was stored is recognised"
    },
};

std::string in_small_letters(std::string_view word) {
    std::string text{word};
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// `: "detail" (CODE); field: reason`
std::string words_of(const problem_report& what) {
    if (what.code.empty()) {
        return fmt::format("status {}, which no server of this program answers", what.status);
    }
    std::string text = fmt::format(
        "{} ({})", printable_name(what.detail), printable_name(what.code)
    );
    for (const problem_report::field_fault& fault : what.errors) {
        text += fmt::format("; {}: {}", printable_name(fault.field), printable_name(fault.reason));
    }
    return text;
}

std::string_view remedy_for(const problem_report& what) {
    if (what.code.empty()) {
        return "does --url lead to a Convene server?";
    }
    if (is_passing(what)) {
        return "try again in a while; `convene doctor` looks at the server";
    }
    return what.status >= 500 ? "the server's log says more" : "";
}

}  // namespace

problem_report read_problem(int status, std::string_view body) {
    problem_report read;
    read.status = status;
    const auto scanned = scan_json(
        body, "", boundary_limits::of_stored_json(), text_policy::replace
    );
    if (!scanned) {
        return read;
    }
    answer_fields fields{scanned->canonical};
    read.code = fields.optional_text("code").value_or("");
    read.detail = fields.optional_text("detail").value_or("");
    const auto wait = fields.optional_integer("retry_after");
    if (wait && *wait >= 0) {
        read.retry_after = std::chrono::seconds{std::min(*wait, longest_wait_seconds)};
    }
    const auto errors = fields.optional_list("errors");
    for (const std::string_view error : errors.value_or(std::vector<std::string_view>{})) {
        answer_fields one{error};
        read.errors.push_back(
            {one.optional_text("field").value_or(""), one.optional_text("reason").value_or("")}
        );
    }
    return read;
}

bool is_passing(const problem_report& what) noexcept {
    constexpr std::array passing{429, 502, 503, 504};
    return std::ranges::find(passing, what.status) != passing.end();
}

failure failure_of(const problem_report& what, std::string_view doing) {
    failure why;
    const auto known = std::ranges::find(known_problems, what.code, &known_problem::code);
    if (known != known_problems.end()) {
        why = {known->ends_with, std::string{known->text}, std::string{known->remedy}};
        why.text += fmt::format(" ({})", what.code);
    } else {
        const bool is_at_fault = what.status >= 400 && what.status < 500 && !what.code.empty() &&
                                 !is_passing(what);
        why = {
            is_at_fault ? exit_code::refused : exit_code::database_problem,
            fmt::format("{}: the server answered: {}", doing, words_of(what)),
            std::string{remedy_for(what)}
        };
    }
    why.reason = in_small_letters(what.code);
    return why;
}

}  // namespace convene
