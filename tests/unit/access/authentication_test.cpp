// SPDX-License-Identifier: Apache-2.0
// Who is asking: tokens, cookies, what they prove, and how soon a change is seen.
#include "access/authentication.hpp"

#include "convene/memory_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "access/csrf.hpp"
#include "access/secret_token.hpp"
#include "runtime/manual_loop.hpp"
#include "support/manual_wall_clock.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

class Authentication : public testing::Test {
   protected:
    Authentication() {
        ops::create_organization creation;
        creation.organization.id = organization_id{"acme"};
        creation.first_user = user{
            .id = user_id{"ann"},
            .organization = organization_id{"acme"},
            .email = "ann@example.com",
            .display_name = "Ann",
            .role = user_role::admin,
        };
        must(creation);
        must(ops::create_user{
            {.id = user_id{"bob"},
             .organization = organization_id{"acme"},
             .email = "bob@example.com",
             .display_name = "Bob",
             .role = user_role::operator_},
            {}
        });
    }

    template <class Op>
    typename Op::answer must(Op request) {
        return loop_.run(store_->run(std::move(request))).value();
    }

    std::string add_token(
        const std::string& id, std::optional<wall_time> expires_at = std::nullopt
    ) {
        const secret_token secret = make_secret(secret_kind::api_token, system_random());
        api_token token;
        token.id = api_token_id{id};
        token.organization = organization_id{"acme"};
        token.role = user_role::operator_;
        token.hash = secret.hash;
        token.created_by = user_id{"bob"};
        token.expires_at = expires_at;
        must(ops::create_api_token{token, {}});
        return secret.text;
    }

    std::string log_in(
        const std::string& user, std::chrono::seconds lifetime = std::chrono::days{14}
    ) {
        const secret_token secret = make_secret(secret_kind::session, system_random());
        must(ops::create_auth_session{
            {.hash = secret.hash, .organization = organization_id{"acme"}, .user = user_id{user}},
            lifetime
        });
        return secret.text;
    }

    result<authenticated> by_token(
        const std::string& token, const std::string& scheme = "Bearer "
    ) {
        request_credentials given;
        given.authorization = scheme + token;
        return loop_.run(who_.authenticate(std::move(given)));
    }

    result<authenticated> by_cookie(const std::string& secret, const std::string& csrf = "") {
        request_credentials given;
        given.cookie = "convene_session=" + secret;
        given.csrf = csrf;
        return loop_.run(who_.authenticate(std::move(given)));
    }

    void retire_bob() {
        ops::update_user change{.organization = organization_id{"acme"}, .id = user_id{"bob"}};
        change.is_active = false;
        must(change);
    }

    /// Both clocks: the process's and the store's.
    void advance(microseconds span) {
        loop_.advance(span);
        clock_.advance(span);
    }

    static access_settings settings() {
        access_settings with;
        with.first_organization = organization_id{"acme"};
        with.bootstrap_token = "a bootstrap secret";
        return with;
    }

    manual_wall_clock clock_;
    manual_loop loop_;
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    authentication who_{loop_, *store_, settings()};
};

// A token says what it is, in whichever case its scheme is written, and needs no further proof.
// Proves: X1
TEST_F(Authentication, KnowsTokens) {
    const std::string token = add_token("t");
    const authenticated found = by_token(token).value();
    EXPECT_EQ(found.who.organization, organization_id{"acme"});
    EXPECT_EQ(found.who.role, user_role::operator_);
    EXPECT_EQ(found.who.token, api_token_id{"t"});
    EXPECT_FALSE(found.who.is_user());
    EXPECT_EQ(found.who.made_by, user_id{"bob"});
    EXPECT_EQ(found.who.actor(), "token:t");
    EXPECT_EQ(found.proof, page_proof::not_needed);
    EXPECT_TRUE(by_token(token, "bearer "));
    EXPECT_TRUE(by_token(token, "BEARER   "));
}

// A session is a user; what changes something needs its CSRF value, and another session's does not do.
// Proves: X1
TEST_F(Authentication, KnowsSessions) {
    const std::string session = log_in("bob");
    const authenticated found = by_cookie(session).value();
    EXPECT_EQ(found.who.user, user_id{"bob"});
    EXPECT_EQ(found.who.email, "bob@example.com");
    EXPECT_EQ(found.who.display_name, "Bob");
    EXPECT_EQ(found.who.role, user_role::operator_);
    EXPECT_EQ(found.who.actor(), "user:bob");
    EXPECT_EQ(found.proof, page_proof::missing);
    EXPECT_EQ(by_cookie(session, csrf_value(session)).value().proof, page_proof::verified);
    EXPECT_EQ(by_cookie(session, csrf_value(log_in("bob"))).value().proof, page_proof::missing);
}

// Nobody, a wrong, a malformed or a misplaced credential: all the same.
// Proves: X1
TEST_F(Authentication, RefusesAllElse) {
    const std::string token = add_token("t");
    const std::string session = log_in("bob");
    EXPECT_EQ(loop_.run(who_.authenticate({})).error(), errc::bad_credentials);
    EXPECT_EQ(by_token(token + "x").error(), errc::bad_credentials);
    EXPECT_EQ(by_token(token.substr(4)).error(), errc::bad_credentials);
    EXPECT_EQ(by_token(token, "Basic ").error(), errc::bad_credentials);
    EXPECT_EQ(by_token(token, "").error(), errc::bad_credentials);
    EXPECT_EQ(by_token("").error(), errc::bad_credentials);
    EXPECT_EQ(by_token(session).error(), errc::bad_credentials);
    EXPECT_EQ(by_cookie(token).error(), errc::bad_credentials);
    EXPECT_EQ(by_cookie("").error(), errc::bad_credentials);
    const secret_token unknown = make_secret(secret_kind::session, system_random());
    EXPECT_EQ(by_cookie(unknown.text).error(), errc::bad_credentials);
    EXPECT_EQ(by_cookie(unknown.hash.str()).error(), errc::bad_credentials);
}

// A bad `Authorization` is not healed by a good cookie.
// Proves: X1
TEST_F(Authentication, LetsAuthorizationDecide) {
    request_credentials both;
    both.authorization = "Bearer nonsense";
    both.cookie = "convene_session=" + log_in("bob");
    EXPECT_EQ(loop_.run(who_.authenticate(both)).error(), errc::bad_credentials);
}

// The secret of the configuration is an admin of the first organisation, without a row.
// Proves: X1
TEST_F(Authentication, KnowsTheBootstrapToken) {
    const authenticated found = by_token("a bootstrap secret").value();
    EXPECT_EQ(found.who.organization, organization_id{"acme"});
    EXPECT_EQ(found.who.role, user_role::admin);
    EXPECT_EQ(found.who.actor(), "bootstrap");
    EXPECT_EQ(by_token("a bootstrap secre").error(), errc::bad_credentials);
    EXPECT_TRUE(loop_.run(who_.check_again(found.who)));
    authentication without{loop_, *store_, access_settings{}};
    request_credentials empty;
    empty.authorization = "Bearer ";
    EXPECT_EQ(loop_.run(without.authenticate(empty)).error(), errc::bad_credentials);
}

// What another process ends is seen within two seconds, by requests and by streams that ask again.
// Proves: R18, X1
TEST_F(Authentication, SeesChangesOfOthersWithinTwoSeconds) {
    const std::string token = add_token("t");
    const std::string session = log_in("bob");
    const signed_in token_holder = by_token(token).value().who;
    const signed_in session_holder = by_cookie(session).value().who;
    retire_bob();
    advance(2s);
    EXPECT_EQ(by_token(token).error(), errc::bad_credentials);
    EXPECT_EQ(by_cookie(session).error(), errc::bad_credentials);
    EXPECT_EQ(loop_.run(who_.check_again(token_holder)).error(), errc::bad_credentials);
    EXPECT_EQ(loop_.run(who_.check_again(session_holder)).error(), errc::bad_credentials);
}

// What this process changed is seen at once, and a stream can see that something changed.
// Proves: R18, X1
TEST_F(Authentication, SeesOwnChangesAtOnce) {
    const std::string session = log_in("bob");
    const signed_in holder = by_cookie(session).value().who;
    const std::uint64_t before = who_.generation();
    retire_bob();
    who_.forget_all();
    EXPECT_NE(who_.generation(), before);
    EXPECT_EQ(by_cookie(session).error(), errc::bad_credentials);
    EXPECT_EQ(loop_.run(who_.check_again(holder)).error(), errc::bad_credentials);
}

// A role that changed is the new one for a stream that asks again.
// Proves: R18, X1
TEST_F(Authentication, SeesANewRole) {
    const signed_in holder = by_cookie(log_in("bob")).value().who;
    ops::update_user change{.organization = organization_id{"acme"}, .id = user_id{"bob"}};
    change.role = user_role::member;
    must(change);
    advance(2s);
    EXPECT_EQ(loop_.run(who_.check_again(holder)).value().role, user_role::member);
}

// Within its two seconds a request asks no store.
// Proves: X1
TEST_F(Authentication, RemembersForAMoment) {
    const std::string token = add_token("t");
    ASSERT_TRUE(by_token(token));
    must(ops::revoke_api_token{organization_id{"acme"}, api_token_id{"t"}, {}});
    advance(1900ms);
    EXPECT_TRUE(by_token(token));
    advance(100ms);
    EXPECT_FALSE(by_token(token));
}

// Being remembered does not outlive the token's own end.
// Proves: X1
TEST_F(Authentication, EndsWithTheToken) {
    const std::string token = add_token("t", clock_.now() + 1s);
    EXPECT_TRUE(by_token(token));
    advance(1s);
    EXPECT_EQ(by_token(token).error(), errc::bad_credentials);
    const std::string session = log_in("bob", 1s);
    // It is renewed as soon as it is used, since more than an hour of its usual life is gone.
    EXPECT_TRUE(by_cookie(session).value().renewed_session.has_value());
    advance(1h);
    EXPECT_TRUE(by_cookie(session));
}

// A session that is used lives on: renewed at most once an hour, and then the cookie is sent again.
// Proves: X1
TEST_F(Authentication, RenewsSessions) {
    const std::string session = log_in("bob");
    EXPECT_EQ(by_cookie(session).value().renewed_session, std::nullopt);
    advance(1h - 1us);
    EXPECT_EQ(by_cookie(session).value().renewed_session, std::nullopt);
    advance(3s);
    EXPECT_EQ(by_cookie(session).value().renewed_session, session);
    advance(3s);
    EXPECT_EQ(by_cookie(session).value().renewed_session, std::nullopt);
    for (int day = 0; day < 40; ++day) {
        advance(24h);
        ASSERT_TRUE(by_cookie(session));
    }
    advance(std::chrono::days{14});
    EXPECT_EQ(by_cookie(session).error(), errc::bad_credentials);
}

// A token's last use is written down, but not at every request.
// Proves: X1
TEST_F(Authentication, TouchesTokensCoarsely) {
    const std::string token = add_token("t");
    const auto last_use = [this] {
        return must(ops::list_api_tokens{organization_id{"acme"}}).at(0).last_used_at;
    };
    const wall_time first = clock_.now();
    ASSERT_TRUE(by_token(token));
    EXPECT_EQ(last_use(), first);
    advance(4min);
    ASSERT_TRUE(by_token(token));
    EXPECT_EQ(last_use(), first);
    advance(1min);
    ASSERT_TRUE(by_token(token));
    EXPECT_EQ(last_use(), clock_.now());
}

}  // namespace

}  // namespace convene
