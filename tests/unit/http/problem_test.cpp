// SPDX-License-Identifier: Apache-2.0
// Problem details: what each of our codes is to a caller.
#include "http/problem.hpp"

#include <gtest/gtest.h>

#include "base/canonical_json.hpp"
#include "http/schema.hpp"

namespace convene {
namespace {

struct expected {
    errc code;
    int status;
    std::string_view shown;
};

// The codes of the library reach callers with a status and a stable name.
// Proves: R4, R7, R8
TEST(Problem, CodesHaveTheirStatus) {
    for (const expected& one : {
             expected{errc::not_found, 404, "NOT_FOUND"},
             expected{errc::already_exists, 409, "ALREADY_EXISTS"},
             expected{errc::room_closed, 409, "ROOM_CLOSED"},
             expected{errc::duplicate_key, 409, "IDEMPOTENCY_IN_PROGRESS"},
             expected{errc::idempotency_key_reused, 422, "IDEMPOTENCY_KEY_REUSED"},
             expected{errc::event_deleted, 410, "EVENT_DELETED"},
             expected{errc::not_authorized, 403, "FORBIDDEN"},
             expected{errc::process_timeout, 503, "PROCESS_TIMEOUT"},
             expected{errc::room_contended, 503, "ROOM_CONTENDED"},
             expected{errc::would_deadlock, 503, "WOULD_DEADLOCK"},
             expected{errc::lease_capacity, 503, "LEASE_CAPACITY"},
             expected{errc::outcome_unknown, 503, "COMMIT_OUTCOME_UNKNOWN"},
             expected{errc::connection_lost, 503, "DATABASE_UNAVAILABLE"},
             expected{errc::invalid_argument, 422, "VALIDATION_ERROR"},
         }) {
        const problem what = problem_of(make_error_code(one.code));
        EXPECT_EQ(what.status, one.status) << one.shown;
        EXPECT_EQ(what.code, one.shown);
    }
}

// A code without a rule, ours or another's, is a 500 that says nothing about our insides.
// Proves: X3
TEST(Problem, AnAccidentSaysNothing) {
    for (const error_code code :
         {make_error_code(errc::duplicate_index),
          make_error_code(errc::corrupt_data),
          make_error_code(errc::hook_failed),
          boost::system::errc::make_error_code(boost::system::errc::permission_denied)}) {
        const problem what = problem_of(code);
        EXPECT_EQ(what.status, 500);
        EXPECT_EQ(what.code, "INTERNAL_ERROR");
        EXPECT_EQ(what.detail.find(code.message()), std::string::npos);
        EXPECT_FALSE(what.is_retryable);
    }
}

// An unknown outcome is not said to be safe to repeat; what is, says when.
// Proves: R7
TEST(Problem, OnlyWhatIsSafeIsRetryable) {
    EXPECT_FALSE(problem_of(make_error_code(errc::outcome_unknown)).is_retryable);
    EXPECT_FALSE(problem_of(make_error_code(errc::room_closed)).is_retryable);
    const problem busy = problem_of(make_error_code(errc::overloaded));
    EXPECT_TRUE(busy.is_retryable);
    EXPECT_EQ(busy.retry_after, std::chrono::seconds{1});
}

// The answer is problem+json with its fields, and headers that say the same.
// Proves: R16
TEST(Problem, TheAnswerNamesFieldsAndHeaders) {
    problem what = validation_problem("content.body", boundary_reason::too_long);
    what.retry_after = std::chrono::seconds{7};
    const http_response answer = answer_of(what, "/api/v1/rooms/r\"x", "req-1");
    EXPECT_EQ(answer.status, 422);
    EXPECT_EQ(answer.headers.find("content-type"), "application/problem+json");
    EXPECT_EQ(answer.headers.find("retry-after"), "7");
    EXPECT_EQ(find_text(answer.body, "type"), "urn:convene:problem:validation_error");
    EXPECT_EQ(find_text(answer.body, "instance"), "/api/v1/rooms/r\"x");
    EXPECT_EQ(find_text(answer.body, "request_id"), "req-1");
    const auto errors = elements_of(find_member(answer.body, "errors").value_or("[]"));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(find_text(errors[0], "field"), "content.body");
    EXPECT_EQ(find_text(errors[0], "reason"), "too_long");
}

}  // namespace
}  // namespace convene
