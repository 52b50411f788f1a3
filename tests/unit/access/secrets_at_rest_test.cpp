// SPDX-License-Identifier: Apache-2.0
// Secrets at rest: no file of the store has one in clear, in whatever table.
#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "access/access_service.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

namespace {

class SecretsAtRest : public testing::Test {
   protected:
    SecretsAtRest() {
        sqlite_options options;
        options.path = folder_.path() / "rooms.db";
        store_ = open_sqlite_store(loop_, clock_, options, incarnation_id{}).value();
    }

    template <class T>
    T run(awaitable<T> work) {
        return loop_.run_until_done(std::move(work));
    }

    /// Every byte of the database and of the files beside it: all tables, indexes and freed pages.
    [[nodiscard]] std::string all_bytes() const {
        std::string bytes;
        for (const auto& entry : std::filesystem::directory_iterator{folder_.path()}) {
            std::ifstream file{entry.path(), std::ios::binary};
            bytes.append(std::istreambuf_iterator<char>{file}, {});
        }
        return bytes;
    }

    temporary_folder folder_;
    loop loop_;
    manual_wall_clock clock_;
    std::unique_ptr<conversation_store> store_;
};

// Tokens, cookies, links, CSRF values, passwords and the bootstrap token are in no byte of the store, while they
// are good, and after they were used.
// Proves: X1, X3
TEST_F(SecretsAtRest, AreNowhereInClear) {
    password_hasher passwords{system_random(), {.cost = {.log2_n = 4}}};
    access_settings settings;
    settings.bootstrap_token = "the bootstrap secret";
    access_service service{
        {.where = &loop_,
         .store = store_.get(),
         .clock = &clock_,
         .random = &system_random(),
         .passwords = &passwords},
        settings
    };
    run(service.bootstrap()).value();
    const made_link link = run(service.make_login_link()).value();
    const logged_in session = run(service.log_in_by_link(link.token, "192.0.2.1")).value();
    const access_caller by{session.who, "192.0.2.1"};
    const invited_user
        invited = run(service.create_user(by, "ann@example.com", "Ann", user_role::member)).value();
    const std::string password = "correct horse battery staple";
    const logged_in ann = run(service.set_password(invited.invitation.token, password, "192.0.2.2"))
                              .value();
    const made_link unused = run(service.make_reset_link(by, ann.who.user)).value();
    const made_api_token token = run(service.create_token(by, "ci", user_role::member, {})).value();
    request_credentials with_token;
    with_token.authorization = "Bearer " + token.text;
    run(service.who().authenticate(with_token)).value();

    const std::vector<std::string> secrets{
        link.token,
        session.session_secret,
        session.csrf_token,
        invited.invitation.token,
        password,
        ann.session_secret,
        ann.csrf_token,
        unused.token,
        token.text,
        settings.bootstrap_token,
    };
    // Before and after the log is moved into the database.
    const std::string open_bytes = all_bytes();
    run(store_->close());
    const std::string closed_bytes = all_bytes();
    // What is looked through is what was written.
    ASSERT_NE(closed_bytes.find("ann@example.com"), std::string::npos);
    ASSERT_NE(closed_bytes.find(token.token.hash.str()), std::string::npos);
    for (const std::string& secret : secrets) {
        ASSERT_GE(secret.size(), 10u);
        // Without its prefix, which is no secret.
        const std::string core = secret.substr(4);
        EXPECT_EQ(open_bytes.find(core), std::string::npos) << secret;
        EXPECT_EQ(closed_bytes.find(core), std::string::npos) << secret;
    }
}

}  // namespace

}  // namespace convene
