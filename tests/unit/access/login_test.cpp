// SPDX-License-Identifier: Apache-2.0
// Logging in: by password, by link, by invitation and reset; and out again.
#include "convene/task_scope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "unit/access/access_scene.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

class Login : public access_scene {
   protected:
    /// Uses one link from many coroutines at the same time; answers how many got in.
    int race_for(const std::string& link, int runners) {
        return run(race(&service_, link, runners, &loop_));
    }

   private:
    static awaitable<void> run_for(access_service* service, std::string link, int* winners) {
        const result<logged_in> opened = co_await service->log_in_by_link(std::move(link), "peer");
        *winners += opened ? 1 : 0;
    }

    static awaitable<int> race(
        access_service* service, std::string link, int runners, executor* where
    ) {
        int winners = 0;
        task_scope scope{*where};
        for (int i = 0; i < runners; ++i) {
            scope.spawn("runner", run_for(service, link, &winners));
        }
        co_await scope.join();
        co_return winners;
    }
};

// An invitation is a link by which a user sets a password once; from then on the password logs in.
// Proves: X1
TEST_F(Login, BeginsWithAnInvitation) {
    const access_caller by = admin();
    const invited_user invited = invite(by, "ann@example.com", user_role::operator_);
    EXPECT_EQ(invited.invitation.expires_at, clock_.now() + std::chrono::days{7});
    EXPECT_EQ(log_in("ann@example.com", good_password).error(), errc::bad_credentials);

    const logged_in first = run(service_.set_password(invited.invitation.token, good_password, "p"))
                                .value();
    EXPECT_EQ(first.who.user, invited.invited.id);
    EXPECT_EQ(request_of(first).value().proof, page_proof::verified);
    EXPECT_EQ(
        run(service_.set_password(invited.invitation.token, good_password, "p")).error(),
        errc::bad_credentials
    );

    const logged_in second = log_in("Ann@Example.com", good_password).value();
    EXPECT_NE(second.session_secret, first.session_secret);
    EXPECT_EQ(request_of(second).value().who.role, user_role::operator_);
    EXPECT_EQ(log_in("ann@example.com", good_password + "!").error(), errc::bad_credentials);
}

// A user who does not exist, has no password or may not log in costs exactly the hash of one who does.
// Proves: X1, X3
TEST_F(Login, CostsTheSameForEverybody) {
    const access_caller by = admin();
    join(by, "ann@example.com");
    invite(by, "invited@example.com");
    const logged_in gone = join(by, "gone@example.com");
    user_change retire;
    retire.is_active = false;
    run(service_.update_user(by, gone.who.user, retire)).value();

    for (const char* email :
         {"ann@example.com", "nobody@example.com", "invited@example.com", "gone@example.com"}) {
        const std::uint64_t before = passwords_.runs();
        EXPECT_EQ(log_in(email, "a wrong password").error(), errc::bad_credentials) << email;
        EXPECT_EQ(passwords_.runs() - before, 1u) << email;
    }
    EXPECT_EQ(log_in("gone@example.com", good_password).error(), errc::bad_credentials);
}

// What can be no email or password is refused without a hash.
// Proves: X3
TEST_F(Login, RefusesNonsenseCheaply) {
    const std::uint64_t before = passwords_.runs();
    EXPECT_EQ(log_in("no email", good_password).error(), errc::bad_credentials);
    EXPECT_EQ(log_in("a@b", std::string(1025, 'x')).error(), errc::bad_credentials);
    EXPECT_EQ(log_in("a@b", "").error(), errc::bad_credentials);
    EXPECT_EQ(
        run(service_.set_password("cvl_x", good_password, "p")).error(), errc::bad_credentials
    );
    EXPECT_EQ(passwords_.runs(), before);
}

// A login link logs in once, however many use it at the same moment.
// Proves: X1
TEST_F(Login, LinkIsGoodOnce) {
    const made_link link = run(service_.make_login_link()).value();
    EXPECT_EQ(race_for(link.token, 16), 1);
    EXPECT_EQ(race_for(link.token, 2), 0);
}

// A link expires, and a newer one takes its place.
// Proves: X1
TEST_F(Login, LinkExpires) {
    const made_link first = run(service_.make_login_link()).value();
    const made_link second = run(service_.make_login_link()).value();
    EXPECT_EQ(run(service_.log_in_by_link(first.token, "p")).error(), errc::bad_credentials);
    clock_.advance(second.expires_at - clock_.now());
    EXPECT_EQ(run(service_.log_in_by_link(second.token, "p")).error(), errc::bad_credentials);
}

// An invitation is not used up by trying to log in with it: the page asks for a password. A login link sets none.
// Proves: X1
TEST_F(Login, LinksKeepToTheirPurpose) {
    const access_caller by = admin();
    const made_link invitation = invite(by, "ann@example.com").invitation;
    EXPECT_EQ(run(service_.log_in_by_link(invitation.token, "p")).error(), errc::password_needed);
    EXPECT_EQ(
        run(service_.set_password(invitation.token, "short", "p")).error(), errc::invalid_argument
    );
    EXPECT_TRUE(run(service_.set_password(invitation.token, good_password, "p")));

    const made_link login = run(service_.make_login_link()).value();
    EXPECT_EQ(
        run(service_.set_password(login.token, good_password, "p")).error(), errc::bad_credentials
    );
    EXPECT_TRUE(run(service_.log_in_by_link(login.token, "p")));
}

// A reset ends what was logged in with the old password, which no longer logs in.
// Proves: X1
TEST_F(Login, ResetEndsEverythingElse) {
    const access_caller by = admin();
    const logged_in before = join(by, "ann@example.com");
    ASSERT_TRUE(request_of(before));
    const made_link reset = run(service_.make_reset_link(by, before.who.user)).value();
    EXPECT_TRUE(request_of(before));
    const logged_in after = run(service_.set_password(reset.token, "another good password", "p"))
                                .value();
    EXPECT_EQ(request_of(before).error(), errc::bad_credentials);
    EXPECT_TRUE(request_of(after));
    EXPECT_EQ(log_in("ann@example.com", good_password).error(), errc::bad_credentials);
    EXPECT_TRUE(log_in("ann@example.com", "another good password"));
}

// Logging out ends this session at once, and no other.
// Proves: X1
TEST_F(Login, Ends) {
    const logged_in first = join(admin(), "ann@example.com");
    const logged_in second = log_in("ann@example.com", good_password).value();
    ASSERT_TRUE(request_of(first));
    EXPECT_TRUE(run(service_.log_out(caller_of(first))));
    EXPECT_EQ(request_of(first).error(), errc::bad_credentials);
    EXPECT_TRUE(request_of(second));
}

// Guessing is stopped by account and by address, says for how long, and costs no hash from then on.
// Proves: X3
TEST_F(Login, StopsGuessing) {
    join(admin(), "ann@example.com");
    int tries = 0;
    while (log_in("ann@example.com", "a wrong password").error() == errc::bad_credentials) {
        ASSERT_LE(++tries, 10);
    }
    EXPECT_EQ(tries, 10);
    const std::uint64_t before = passwords_.runs();
    EXPECT_EQ(log_in("ann@example.com", good_password).error(), errc::too_many_attempts);
    EXPECT_EQ(passwords_.runs(), before);
    EXPECT_GT(service_.login_wait("192.0.2.3", "ann@example.com"), 0s);
    EXPECT_LE(service_.login_wait("192.0.2.3", "ann@example.com"), 10s);
    EXPECT_EQ(service_.login_wait("192.0.2.3", "bob@example.com"), 0s);
    for (int i = 0; i < 50; ++i) {
        static_cast<void>(run(service_.log_in_by_link("cvl_guess", "198.51.100.1")));
    }
    EXPECT_EQ(
        run(service_.log_in_by_link("cvl_guess", "198.51.100.1")).error(), errc::too_many_attempts
    );
    EXPECT_GT(service_.login_wait("198.51.100.1", ""), 0s);
}

}  // namespace

}  // namespace convene
