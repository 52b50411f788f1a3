// SPDX-License-Identifier: Apache-2.0
// A deployment with two organisations: its access service, a real loop, and hashes that cost little.
#pragma once

#include "convene/loop.hpp"
#include "convene/memory_store.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "access/access_service.hpp"
#include "access/secret_token.hpp"
#include "support/manual_wall_clock.hpp"

namespace convene {

inline const std::string good_password = "correct horse battery staple";

class access_scene : public testing::Test {
   protected:
    access_scene() { run(service_.bootstrap()).value(); }

    template <class T>
    T run(awaitable<T> work) {
        return loop_.run_until_done(std::move(work));
    }

    template <class Op>
    typename Op::answer must(Op request) {
        return run(store_->run(std::move(request))).value();
    }

    /// The admin whom a fresh store has.
    access_caller admin() {
        const made_link link = run(service_.make_login_link()).value();
        return caller_of(run(service_.log_in_by_link(link.token, "192.0.2.1")).value());
    }

    /// The admin of another organisation.
    access_caller stranger() {
        const organization_id globex{"globex"};
        ops::create_organization creation;
        creation.organization.id = globex;
        user eve;
        eve.id = user_id{"eve"};
        eve.organization = globex;
        eve.email = "eve@example.com";
        eve.role = user_role::admin;
        creation.first_user = eve;
        must(creation);
        access_caller caller;
        caller.who.organization = globex;
        caller.who.role = user_role::admin;
        caller.who.user = eve.id;
        return caller;
    }

    static access_caller caller_of(const logged_in& session) { return {session.who, "192.0.2.1"}; }

    invited_user invite(
        access_caller by, const std::string& email, user_role role = user_role::member
    ) {
        return run(service_.create_user(std::move(by), email, "Name", role)).value();
    }

    /// Invites a user, who sets a password and is logged in.
    logged_in join(
        const access_caller& by, const std::string& email, user_role role = user_role::member
    ) {
        const invited_user invited = invite(by, email, role);
        return run(service_.set_password(invited.invitation.token, good_password, "192.0.2.2"))
            .value();
    }

    result<logged_in> log_in(const std::string& email, const std::string& password) {
        return run(service_.log_in(email, password, "192.0.2.3"));
    }

    /// Whether a request with this session's cookie is let in.
    result<authenticated> request_of(const logged_in& session) {
        request_credentials given;
        given.cookie = "convene_session=" + session.session_secret;
        given.csrf = session.csrf_token;
        return run(service_.who().authenticate(std::move(given)));
    }

    result<authenticated> request_with_token(const std::string& token) {
        request_credentials given;
        given.authorization = "Bearer " + token;
        return run(service_.who().authenticate(std::move(given)));
    }

    manual_wall_clock clock_;
    loop loop_;
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    password_hasher passwords_{system_random(), {.cost = {.log2_n = 4}, .threads = 2}};
    access_service service_{
        {.where = &loop_,
         .store = store_.get(),
         .clock = &clock_,
         .random = &system_random(),
         .passwords = &passwords_}
    };
};

}  // namespace convene
