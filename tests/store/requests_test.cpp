// SPDX-License-Identifier: Apache-2.0
// What every store promises about requests that are sent again under their idempotency key.
#include <gtest/gtest.h>

#include <string>

#include "store/access_fixture.hpp"

namespace convene {

namespace {

using enum ops::request_state;

class Requests : public conformance {
   protected:
    static ops::request_key key(organization_id organization = acme()) {
        return {std::move(organization), "POST /rooms", "k"};
    }

    ops::begin_request::outcome begin(const std::string& hash = "hash") {
        return must(ops::begin_request{key(), hash, 60s});
    }

    void finish(std::int64_t attempt, const std::string& body = "made") {
        must(ops::finish_request{key(), attempt, 201, body});
    }
};

CONVENE_ON_EVERY_STORE(Requests);

// The first one is to be done; while it runs, others see that; then all get its answer.
// Proves: R8
TEST_P(Requests, AreDoneOnce) {
    EXPECT_FALSE(must(ops::find_request{key(), "hash"}).has_value());
    const auto first = begin();
    EXPECT_EQ(first.state, started);
    EXPECT_EQ(begin().state, running);
    finish(first.attempt);
    const auto repeated = begin();
    EXPECT_EQ(repeated.state, finished);
    EXPECT_EQ(repeated.status, 201);
    EXPECT_EQ(repeated.body, "made");
    EXPECT_EQ(must(ops::find_request{key(), "hash"})->body, "made");
    EXPECT_EQ(error_of(ops::finish_request{key(), first.attempt, 500, "x"}), errc::claim_lost);
    EXPECT_EQ(begin().body, "made");
}

// The same key with another body is refused, running or finished.
// Proves: R8
TEST_P(Requests, RefuseAnotherBody) {
    const auto first = begin();
    EXPECT_EQ(error_of(ops::begin_request{key(), "other"}), errc::idempotency_key_reused);
    finish(first.attempt);
    EXPECT_EQ(error_of(ops::begin_request{key(), "other"}), errc::idempotency_key_reused);
    EXPECT_EQ(error_of(ops::find_request{key(), "other"}), errc::idempotency_key_reused);
}

// A key means something only in its organisation and route.
// Proves: R8, X1
TEST_P(Requests, AreApartByOrganizationAndRoute) {
    begin();
    EXPECT_EQ(must(ops::begin_request{key(globex()), "other"}).state, started);
    ops::request_key elsewhere = key();
    elsewhere.route = "POST /users";
    EXPECT_EQ(must(ops::begin_request{elsewhere, "other"}).state, started);
}

// An answer is remembered for 24 hours.
// Proves: R8
TEST_P(Requests, AreForgottenAfterADay) {
    finish(begin().attempt);
    clock().advance(24h - 1us);
    EXPECT_EQ(begin().state, finished);
    clock().advance(1us);
    EXPECT_FALSE(must(ops::find_request{key(), "hash"}).has_value());
    EXPECT_EQ(begin("other").state, started);
}

// One whose runner is gone is started anew, and the first runner can't answer it any more.
// Proves: R8
TEST_P(Requests, AreTakenOverWhenGivenUp) {
    const auto first = begin();
    clock().advance(60s - 1us);
    EXPECT_EQ(begin().state, running);
    clock().advance(1us);
    const auto second = begin();
    EXPECT_EQ(second.state, started);
    EXPECT_NE(second.attempt, first.attempt);
    EXPECT_EQ(error_of(ops::finish_request{key(), first.attempt, 201, "late"}), errc::claim_lost);
    finish(second.attempt);
    EXPECT_EQ(begin().body, "made");
}

// One that failed without a trace can be repeated at once, also when somebody gave it up before.
// Proves: R8
TEST_P(Requests, CanBeAbandoned) {
    const auto first = begin();
    clock().advance(60s);
    const auto second = begin();
    must(ops::abandon_request{key(), first.attempt});
    EXPECT_EQ(begin().state, running);
    must(ops::abandon_request{key(), second.attempt});
    clock().advance(1us);
    const auto third = begin("other");
    EXPECT_EQ(third.state, started);
    EXPECT_EQ(error_of(ops::finish_request{key(), second.attempt, 201, "x"}), errc::claim_lost);
    must(ops::finish_request{key(), third.attempt, 201, "made"});
    must(ops::abandon_request{key(), third.attempt});
    EXPECT_EQ(begin("other").body, "made");
}

// A finished request is known after a restart.
// Proves: R8, S1
TEST_P(Requests, SurviveARestart) {
    finish(begin().attempt, "kept");
    harness().restart();
    EXPECT_EQ(begin().body, "kept");
}

}  // namespace

}  // namespace convene
