// SPDX-License-Identifier: Apache-2.0
// Problem details: the status and the words of each code.
#include "http/problem.hpp"

#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_writer.hpp"
#include "skill/skill_error.hpp"

namespace convene {

namespace {

using std::chrono::seconds;

struct code_rule {
    errc code;
    int status;
    std::string_view shown_as = {};  ///< empty: the library's name, in capitals
    seconds retry_after{0};          ///< 0: not said
};

/// A code that is not here is an accident of ours: 500, without a word about it.
constexpr std::array rules{
    code_rule{errc::cancelled, 503},
    code_rule{errc::timed_out, 503, "", seconds{1}},
    code_rule{errc::outcome_unknown, 503, "COMMIT_OUTCOME_UNKNOWN"},
    code_rule{errc::invalid_argument, 422, "VALIDATION_ERROR"},
    code_rule{errc::unavailable, 503, "DATABASE_UNAVAILABLE", seconds{2}},
    code_rule{errc::overloaded, 503, "", seconds{1}},
    code_rule{errc::io_failed, 503, "DATABASE_UNAVAILABLE", seconds{2}},
    code_rule{errc::not_found, 404},
    code_rule{errc::already_exists, 409},
    code_rule{errc::room_changed, 503, "ROOM_CONTENDED", seconds{1}},
    code_rule{errc::duplicate_key, 409, "IDEMPOTENCY_IN_PROGRESS", seconds{1}},
    code_rule{errc::claim_lost, 503, "ROOM_CONTENDED", seconds{1}},
    code_rule{errc::store_busy, 503, "", seconds{1}},
    code_rule{errc::store_in_use, 503, "DATABASE_UNAVAILABLE", seconds{2}},
    code_rule{errc::connection_lost, 503, "DATABASE_UNAVAILABLE", seconds{1}},
    code_rule{errc::lease_busy, 503, "ROOM_CONTENDED", seconds{1}},
    code_rule{errc::lease_lost, 503, "ROOM_CONTENDED", seconds{1}},
    code_rule{errc::lease_capacity, 503, "", seconds{1}},
    code_rule{errc::incarnation_dead, 503, "DRAINING", seconds{1}},
    code_rule{errc::room_closed, 409},
    code_rule{errc::room_contended, 503, "", seconds{1}},
    code_rule{errc::would_deadlock, 503, "", seconds{1}},
    code_rule{errc::idempotency_key_reused, 422},
    code_rule{errc::event_deleted, 410},
    code_rule{errc::process_timeout, 503, "", seconds{1}},
    code_rule{errc::target_event_not_found, 404},
    code_rule{errc::not_authorized, 403, "FORBIDDEN"},
    code_rule{errc::channel_not_registered, 422},
    code_rule{errc::bad_credentials, 401},
    code_rule{errc::too_many_attempts, 429},
    code_rule{errc::last_admin, 409},
    code_rule{errc::password_needed, 409},
    code_rule{errc::driver_fenced, 409},
    code_rule{errc::session_run_in_progress, 409, "", seconds{1}},
    code_rule{errc::tool_call_not_open, 409},
    code_rule{errc::approval_already_resolved, 409},
    code_rule{errc::approval_expired, 409},
    code_rule{errc::session_awaiting_approval, 409},
    code_rule{errc::interrupt_not_open, 409},
    code_rule{errc::skill_not_ready, 409},
    code_rule{errc::execution_ended, 409},
};

std::string in_capitals(std::string_view word) {
    std::string text{word};
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

/// `urn:convene:problem:room_closed`: a name, and nothing to load.
std::string type_of(std::string_view code) {
    std::string text = "urn:convene:problem:";
    for (const char c : code) {
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

}  // namespace

problem problem_of(error_code code) {
    problem what;
    what.detail = "something went wrong on our side; the log has it under the request id";
    if (code == skill_errc::not_ready) {
        what = conflict_problem("SKILL_NOT_READY", code.message());
        what.is_retryable = true;
        what.retry_after = seconds{1};
        return what;
    }
    if (code.category() != convene_category()) {
        return what;
    }
    const auto known = static_cast<errc>(code.value());
    const auto rule = std::ranges::find(rules, known, &code_rule::code);
    if (rule == rules.end()) {
        return what;
    }
    what.status = rule->status;
    what.code = rule->shown_as.empty() ? in_capitals(name_of(known)) : std::string{rule->shown_as};
    what.detail = code.message();
    what.is_retryable = code == condition::retryable || rule->retry_after.count() > 0;
    if (rule->retry_after.count() > 0) {
        what.retry_after = rule->retry_after;
    }
    return what;
}

problem problem_of(const boundary_error& error) {
    if (error.reason == boundary_reason::not_json) {
        problem what = validation_problem(error.field, error.reason);
        what.status = 400;
        what.code = "INVALID_JSON";
        what.detail = "the body is not JSON";
        return what;
    }
    return validation_problem(error.field, error.reason);
}

problem validation_problem(std::vector<field_fault> errors) {
    problem what;
    what.status = 422;
    what.code = "VALIDATION_ERROR";
    what.detail = "a value breaks a rule; `errors` names it";
    what.errors = std::move(errors);
    return what;
}

problem validation_problem(std::string field, boundary_reason reason) {
    return validation_problem({field_fault{std::move(field), std::string{word_of(reason)}}});
}

problem conflict_problem(std::string code, std::string detail) {
    problem what;
    what.status = 409;
    what.code = std::move(code);
    what.detail = std::move(detail);
    return what;
}

problem not_found_problem() { return problem_of(make_error_code(errc::not_found)); }

problem forbidden_problem(std::string detail) {
    problem what;
    what.status = 403;
    what.code = "FORBIDDEN";
    what.detail = std::move(detail);
    return what;
}

std::string_view title_of(int status) noexcept {
    switch (status) {
        case 400:
            return "The request cannot be read";
        case 401:
            return "Who is asking is not known";
        case 403:
            return "Not allowed";
        case 404:
            return "Not found";
        case 405:
            return "No such method here";
        case 409:
            return "In conflict with how things are";
        case 410:
            return "Gone";
        case 413:
            return "Too big";
        case 416:
            return "No such part";
        case 415:
            return "Wrong kind of content";
        case 422:
            return "The request breaks a rule";
        case 426:
            return "Needs a WebSocket";
        case 429:
            return "Too many requests";
        case 503:
            return "Not possible right now";
        default:
            return "An error of the server";
    }
}

http_response answer_of(
    const problem& what, std::string_view instance, std::string_view request_id
) {
    json_writer out;
    out.begin_object();
    out.key("type").string(type_of(what.code));
    out.key("title").string(title_of(what.status));
    out.key("status").integer(what.status);
    out.key("code").string(what.code);
    out.key("detail").string(what.detail);
    out.key("instance").string(instance);
    out.key("request_id").string(request_id);
    out.key("retryable").boolean(what.is_retryable);
    if (what.retry_after) {
        out.key("retry_after").integer(what.retry_after->count());
    }
    if (!what.errors.empty()) {
        out.key("errors").begin_array();
        for (const field_fault& fault : what.errors) {
            out.begin_object();
            out.key("field").string(fault.field);
            out.key("reason").string(fault.reason);
            out.end_object();
        }
        out.end_array();
    }
    for (const auto& [name, text] : what.members) {
        out.key(name).string(text);
    }
    out.end_object();

    http_response answer;
    answer.status = what.status;
    answer.headers.set("content-type", "application/problem+json");
    if (what.retry_after) {
        answer.headers.set("retry-after", std::to_string(what.retry_after->count()));
    }
    if (!what.allow.empty()) {
        answer.headers.set("allow", what.allow);
    }
    if (what.status == 401) {
        answer.headers.set("www-authenticate", "Bearer");
    }
    answer.body = out.take().str();
    return answer;
}

void throw_exception_from_error(const problem& what, const boost::source_location& where) {
    boost::throw_with_location(
        boost::system::system_error{make_error_code(errc::invalid_argument), what.code}, where
    );
}

}  // namespace convene
