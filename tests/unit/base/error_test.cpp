// SPDX-License-Identifier: Apache-2.0
// Error codes: frozen names, messages, and the conditions callers ask for.
#include "convene/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace convene {

namespace {

struct frozen_code {
    int number;
    std::string_view name;
};

// Numbers and names reach logs and the wire. A line may be added, never changed.
constexpr frozen_code frozen_codes[] = {
    {1, "cancelled"},
    {2, "timed_out"},
    {3, "outcome_unknown"},
    {4, "invalid_argument"},
    {5, "unavailable"},
    {6, "overloaded"},
    {7, "corrupt_data"},
    {8, "io_failed"},
    {9, "connection_closed"},
    {10, "payload_too_large"},
    {100, "not_found"},
    {101, "already_exists"},
    {102, "room_changed"},
    {103, "duplicate_key"},
    {104, "duplicate_index"},
    {105, "claim_lost"},
    {106, "store_busy"},
    {107, "store_in_use"},
    {108, "schema_too_new"},
    {109, "schema_unknown"},
    {110, "index_not_unique"},
    {111, "connection_lost"},
    {112, "result_already_final"},
    {200, "lease_busy"},
    {201, "lease_lost"},
    {202, "lease_capacity"},
    {203, "incarnation_dead"},
    {300, "room_closed"},
    {301, "room_contended"},
    {302, "would_deadlock"},
    {303, "idempotency_key_reused"},
    {304, "event_deleted"},
    {305, "process_timeout"},
    {306, "hook_failed"},
    {307, "target_event_not_found"},
    {308, "not_authorized"},
    {309, "channel_not_registered"},
    {500, "bad_credentials"},
    {501, "too_many_attempts"},
    {502, "last_admin"},
    {503, "password_needed"},
    {600, "model_unavailable"},
    {601, "model_overloaded"},
    {602, "model_refused"},
    {603, "answer_cut_off"},
    {604, "driver_fenced"},
    {605, "session_run_in_progress"},
    {606, "tool_call_not_open"},
    {607, "approval_already_resolved"},
    {608, "approval_expired"},
    {609, "session_awaiting_approval"},
    {610, "interrupt_not_open"},
    {700, "skill_not_ready"},
    {710, "execution_ended"},
};

error_code code_of(int number) { return make_error_code(static_cast<errc>(number)); }

// Every code that exists is in the frozen table and has a message of its own.
TEST(Error, GivesEveryCodeItsFrozenNameAndAMessage) {
    std::vector<int> known;
    for (int number = 0; number < 1000; ++number) {
        if (name_of(static_cast<errc>(number)) != "unknown_code") {
            known.push_back(number);
        }
    }
    std::vector<int> frozen;
    std::set<std::string> messages;
    for (const frozen_code& code : frozen_codes) {
        frozen.push_back(code.number);
        EXPECT_EQ(name_of(static_cast<errc>(code.number)), code.name);
        EXPECT_TRUE(messages.insert(code_of(code.number).message()).second) << code.name;
    }
    EXPECT_EQ(known, frozen);
}

// A number from a newer version is printed, not misread.
TEST(Error, DescribesAnUnknownNumber) {
    EXPECT_EQ(code_of(999).message(), "an error code this version does not know");
    EXPECT_FALSE(code_of(999) == condition::retryable);
}

TEST(Error, NamesItsCategories) {
    EXPECT_STREQ(convene_category().name(), "convene");
    EXPECT_STREQ(condition_category().name(), "convene.condition");
}

// Callers decide by conditions: which codes may be sent again unchanged.
TEST(Error, MarksWhatMaySucceedLaterAsRetryable) {
    for (const errc code :
         {errc::timed_out,
          errc::unavailable,
          errc::overloaded,
          errc::room_changed,
          errc::store_busy,
          errc::connection_lost,
          errc::lease_busy,
          errc::lease_capacity,
          errc::room_contended,
          errc::would_deadlock,
          errc::process_timeout}) {
        EXPECT_TRUE(make_error_code(code) == condition::retryable) << name_of(code);
    }
    for (const errc code :
         {errc::cancelled, errc::invalid_argument, errc::lease_lost, errc::room_closed}) {
        EXPECT_FALSE(make_error_code(code) == condition::retryable) << name_of(code);
    }
}

// A change that may have happened is not sent again blindly, and its connection is not trusted.
TEST(Error, KeepsAnUnknownOutcomeApartFromARetry) {
    const error_code code = make_error_code(errc::outcome_unknown);
    EXPECT_TRUE(code == condition::outcome_unknown);
    EXPECT_TRUE(code == condition::connection_fatal);
    EXPECT_FALSE(code == condition::retryable);
    EXPECT_FALSE(code == condition::caller_error);
}

TEST(Error, BlamesTheCallerOnlyForItsOwnFaults) {
    EXPECT_TRUE(make_error_code(errc::not_authorized) == condition::caller_error);
    EXPECT_TRUE(make_error_code(errc::idempotency_key_reused) == condition::caller_error);
    EXPECT_FALSE(make_error_code(errc::store_busy) == condition::caller_error);
}

// A foreign code has the same number as one of ours and still none of our conditions.
TEST(Error, AsksNothingOfForeignCodes) {
    const error_code foreign{static_cast<int>(errc::store_busy), boost::system::generic_category()};
    EXPECT_FALSE(foreign == condition::retryable);
}

TEST(Error, HasAMessageForEveryCondition) {
    std::set<std::string> messages;
    for (int number = 0; number <= 4; ++number) {
        EXPECT_TRUE(messages.insert(condition_category().message(number)).second);
    }
}

// A function returns an enumerator as it is.
TEST(Result, TakesAnEnumeratorOrAValue) {
    const auto half = [](int number) -> result<int> {
        if (number % 2 != 0) {
            return errc::invalid_argument;
        }
        return number / 2;
    };
    EXPECT_EQ(half(4).value(), 2);
    EXPECT_EQ(half(3).error(), make_error_code(errc::invalid_argument));
    EXPECT_THROW(static_cast<void>(half(3).value()), boost::system::system_error);
}

}  // namespace

}  // namespace convene
